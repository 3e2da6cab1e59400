import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../lock-impl/testing/scripted-server.ts";
import { describeWorker } from "./describe-worker.ts";
import { externalDriver } from "./external-driver.ts";
import {
  clockSchema,
  failedSchema,
  type FirstMessage,
  grantedSchema,
  messageSchema,
  readySchema,
  releasedSchema,
  type WorkerRequest,
} from "./protocol.ts";
import { readWorkerFile } from "./worker-file.ts";

const pageOf = (name: string): string => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");
const page = pageOf("protocol.md");
/** The fenced blocks of a page, docs/protocol.md by default, that are marked so. */
const blocks = (mark: string, text = page): readonly string[] =>
  [...text.matchAll(/^```(\w+ [\w-]+)\n(.*?)^```$/gms)].flatMap(([, found, text = ""]) =>
    found === mark ? [text] : [],
  );

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** What a worker answers to each operation. */
const ANSWERS: Readonly<Record<WorkerRequest["op"], { parse(value: unknown): unknown }>> = {
  acquire: grantedSchema,
  extend: grantedSchema,
  release: releasedSchema,
  clock: clockSchema,
};

test("every message of the document is one of the protocol", () => {
  const asked = new Map<number, WorkerRequest["op"]>();
  const lines = [...page.matchAll(/^```json (in|out)\n(.*?)\n```$/gms)];
  expect(lines.length).toBeGreaterThan(12);
  for (const [, direction, text = ""] of lines) {
    const message = JSON.parse(text) as FirstMessage | (WorkerRequest & { readonly id: number });
    if (direction === "in") {
      if ("id" in message) asked.set(message.id, message.op);
      else expect("protocol" in message ? message.protocol : "close").toBe("op" in message ? "close" : 1);
    } else if ("ready" in message) readySchema.parse(message);
    else {
      const answer = messageSchema.parse(message);
      if (!("id" in answer)) continue;
      const op = asked.get(answer.id);
      if (op === undefined) throw new Error(`nobody asked: ${text}`);
      (answer.ok ? ANSWERS[op] : failedSchema).parse(answer);
    }
  }
});

const RUBY = spawnSync("ruby", ["-e", 'require "redis"']).status === 0;

/** The worker file and the program that a page shows, in the folder of the test. */
function shown(program: string, files: readonly string[], text: string | undefined): string {
  const [fileMark = "", programMark = ""] = files;
  const path = join(folder, "my-lock.worker.json");
  writeFileSync(path, blocks(fileMark, text).join(""));
  writeFileSync(join(folder, program), blocks(programMark, text).join(""));
  return path;
}

describe.each([
  ["Python", true, "my_lock.py", ["json worker-file", "python whole-worker"], page],
  ["Ruby", RUBY, "my_lock.rb", ["json ruby-worker-file", "ruby ruby-worker"], pageOf("other-languages.md")],
])("the worker file and the worker in %s work together", (_, isThere, program, files, text) => {
  test.skipIf(!isThere)("on one server", async () => {
    await using server = await ScriptedServer.listen(([name]) => ({
      reply: name?.toUpperCase() === "SET" ? "+OK\r\n" : ":1\r\n",
    }));
    const worker = readWorkerFile(shown(program, files, text));
    expect(await describeWorker(worker)).toMatchObject({ extend: "none", waits: false });
    const servers = { kind: "single", address: server.address } as const;
    await using client = await externalDriver(worker).connect({ client: "client-0", servers });
    const signal = new AbortController().signal;
    const granted = await client.acquire("k1", { ttlMs: 1000, waitMs: 0, signal });
    if (granted.type !== "ok") throw new Error(granted.reason);
    expect(await client.release(granted.value)).toEqual({ type: "ok", value: { released: true } });
    expect(server.received.map(([name]) => name?.toUpperCase())).toEqual(["SET", "EVAL"]);
    server.behave = () => "break";
    expect(await client.acquire("k1", { ttlMs: 1000, waitMs: 0, signal })).toMatchObject({ type: "info" });
  });
});

test.skipIf(!RUBY)(
  "the worker in Ruby finds the master behind Sentinels, by natMap or without, again after an error",
  async () => {
    await using master = await ScriptedServer.listen(() => ({ reply: "+OK\r\n" }));
    const { host, port } = master.address;
    const announced = ["10.0.0.7", String(port)];
    await using sentinel = await ScriptedServer.listen(() => ({
      reply: `*2\r\n${announced.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`,
    }));
    const files = ["json ruby-worker-file", "ruby ruby-worker"];
    const worker = readWorkerFile(shown("my_lock.rb", files, pageOf("other-languages.md")));
    const natMap = { [`10.0.0.7:${port}`]: { host, port } };
    const servers = { kind: "sentinel", masterName: "m", sentinels: [sentinel.address], natMap } as const;
    await using client = await externalDriver(worker).connect({ client: "client-0", servers });
    const options = { ttlMs: 1000, waitMs: 0, signal: new AbortController().signal };
    expect(await client.acquire("k1", options)).toMatchObject({ type: "ok" });
    master.behave = () => "break";
    expect(await client.acquire("k2", options)).toMatchObject({ type: "info" });
    announced[0] = host;
    master.behave = () => ({ reply: "+OK\r\n" });
    expect(await client.acquire("k3", options)).toMatchObject({ type: "ok" });
    expect(sentinel.received).toHaveLength(2);
  },
);
