import "./install.ts";
import fs, { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";

const folder = await mkdtemp(join(tmpdir(), "lockstorm-files-"));
const file = join(folder, "package.json");
fs.writeFileSync(file, '{ "version": "1" }\n');
afterAll(() => rm(folder, { recursive: true }));

/** Runs a program in a host. Returns its result and the virtual time at which it ended, in microseconds. */
async function inHost<T>(
  program: () => Promise<T>,
): Promise<{ value: T | undefined; atUs: number; failures: unknown[] }> {
  const kernel = new Kernel({ seed: 1, checkDescent: true });
  const host = kernel.host("client-0");
  // Time passes by itself: a program that waited for a real disk would find time passed.
  for (let ms = 1; ms <= 100; ms += 1) kernel.at(ms * 1000, "time passes", () => {});
  let atUs = -1;
  const task = host.spawn("main", async () => {
    const value = await program();
    atUs = kernel.now;
    return value;
  });
  await kernel.run();
  return { value: task.value, atUs, failures: host.failures.map(({ error }) => error) };
}

const reads: Readonly<Record<string, () => Promise<string>>> = {
  "fs.promises.readFile": () => fs.promises.readFile(file, "utf8"),
  "node:fs/promises readFile": () => readFile(file, { encoding: "utf8" }),
  "fs.readFile": () => promisify(fs.readFile)(file, "utf8"),
  "a stream": () => text(createReadStream(file)),
  "a stream of a handle": async () => text((await fs.promises.open(file)).createReadStream()),
  "a handle": async () => {
    await using handle = await fs.promises.open(file, "r");
    return handle.readFile("utf8");
  },
  "a handle given as a path": async () => {
    await using handle = await fs.promises.open(file, "r");
    return fs.promises.readFile(handle, "utf8");
  },
  "lines of a handle": async () => {
    const lines: string[] = [];
    for await (const line of (await fs.promises.open(file)).readLines()) lines.push(line);
    return `${lines.join("\n")}\n`;
  },
  "open, fstat, read, close": async () => {
    const descriptor = await promisify(fs.open)(file, "r");
    const { size } = await promisify(fs.fstat)(descriptor);
    const { buffer } = await promisify(fs.read)(descriptor, Buffer.alloc(size), 0, size, 0);
    await promisify(fs.close)(descriptor);
    return buffer.toString();
  },
};

test.each(Object.keys(reads))("%s takes no virtual time", async (name) => {
  const { value, atUs, failures } = await inHost(reads[name]!);
  expect(failures).toEqual([]);
  expect([value, atUs]).toEqual(['{ "version": "1" }\n', 0]);
});

test("what the system refuses is told by the promise or the callback, as Node tells it", async () => {
  const missing = join(folder, "missing");
  const { value, atUs } = await inHost(async () => [
    await fs.promises.readFile(missing).catch((error: NodeJS.ErrnoException) => error.code),
    await new Promise((resolve) => fs.stat(missing, (error) => resolve(error?.code))),
    await promisify(fs.exists)(missing),
  ]);
  expect([value, atUs]).toEqual([["ENOENT", "ENOENT", false], 0]);
});

test("what is written is there", async () => {
  const { value, failures } = await inHost(async () => {
    const path = join(folder, "written");
    await using handle = await fs.promises.open(path, "w+");
    await handle.write("ab");
    await handle.appendFile("cd");
    await fs.promises.appendFile(path, "ef");
    return fs.readFileSync(path, "utf8");
  });
  expect([value, failures]).toEqual(["abcdef", []]);
});

test("a call comes back only after the code that made it has gone on", async () => {
  const { value } = await inHost(async () => {
    const seen: string[] = [];
    const read = new Promise<void>((resolve) => {
      fs.readFile(file, () => {
        seen.push("read");
        resolve();
      });
    });
    seen.push("called");
    await Promise.resolve().then(() => seen.push("microtask"));
    await read;
    return seen;
  });
  expect(value).toEqual(["called", "microtask", "read"]);
});
