import "./install.ts";
import { Console } from "node:console";
import fs from "node:fs";
import { Writable } from "node:stream";
import { deprecate } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { Kernel } from "../kernel/kernel.ts";

afterEach(() => vi.restoreAllMocks());

/** What a host printed while `program` ran there, and whether it came to its end. */
async function printedBy(program: () => Promise<void> | void): Promise<readonly string[]> {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("client-0");
  const task = host.spawn("main", async () => program());
  await kernel.run();
  expect(host.failures).toEqual([]);
  expect(task.state).toBe("done");
  return host.output;
}

test("what loggers write to the streams of the process is kept, and not shown", async () => {
  const output = await printedBy(async () => {
    await new Promise<void>((resolve) => {
      expect(process.stdout.write(Buffer.from("from a logger\n"), () => resolve())).toBe(true);
    });
    process.stderr.write("trouble\n", "utf8");
    new Console(process.stdout).dir({ by: "a console of its own" });
  });
  expect(output).toEqual(["from a logger", "trouble", "{ by: 'a console of its own' }"]);
});

test("what loggers write to the descriptors of standard output and error is kept, and not shown", async () => {
  const output = await printedBy(async () => {
    expect(fs.writeSync(1, "one\n")).toBe(4);
    expect(fs.writeSync(2, Buffer.from("-two\n-"), 1, 4)).toBe(4);
    await new Promise<void>((resolve) => fs.write(1, "thréé\n", () => resolve()));
  });
  expect(output).toEqual(["one", "two", "thréé"]);
});

test("a warning is kept, not shown, and told to who listens for it in the same process", async () => {
  const outside = vi.fn<() => void>();
  process.on("warning", outside);
  const heard: unknown[] = [];
  const output = await printedBy(async () => {
    process.on("warning", (warning) => heard.push(warning.message));
    process.emitWarning("jitter must be at least 1");
    await new Promise((resolve) => setTimeout(resolve, 1));
  });
  process.off("warning", outside);
  expect(output).toEqual(["(node) Warning: jitter must be at least 1"]);
  expect(heard).toEqual(["jitter must be at least 1"]);
  expect(outside).not.toHaveBeenCalled();
});

test("a warning that Node gives once in a process is no output of the client that happened to be the first", async () => {
  const old = deprecate(() => {}, "old() is deprecated", "DEP9999");
  const warned = async (): Promise<void> => {
    old();
    process.emitWarning("vm modules may change", "ExperimentalWarning");
    await new Promise((resolve) => setTimeout(resolve, 1));
  };
  expect([await printedBy(warned), await printedBy(warned)]).toEqual([[], []]);
});

test("outside a simulation the streams are what they were", () => {
  const written: unknown[] = [];
  class Quiet extends Writable {
    override _write(chunk: Buffer, _: string, done: () => void): void {
      written.push(chunk.toString());
      done();
    }
  }
  const stream = new Quiet();
  Reflect.apply(Reflect.get(process.stdout, "write"), stream, ["seen"]);
  expect(written).toEqual(["seen"]);
});
