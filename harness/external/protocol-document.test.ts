import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
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

/** The fenced blocks of docs/protocol.md that are marked so. */
const page = readFileSync(join(import.meta.dirname, "../../docs/protocol.md"), "utf8");
const blocks = (mark: string): readonly string[] =>
  [...page.matchAll(/^```(\w+ [\w-]+)\n(.*?)^```$/gms)].flatMap(([, found, text = ""]) =>
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

test("the worker file and the worker of the document work together", async () => {
  await using server = await ScriptedServer.listen(([name]) => ({
    reply: name?.toUpperCase() === "SET" ? "+OK\r\n" : ":1\r\n",
  }));
  const path = join(folder, "my-lock.worker.json");
  writeFileSync(path, blocks("json worker-file").join(""));
  writeFileSync(join(folder, "my_lock.py"), blocks("python whole-worker").join(""));
  const worker = readWorkerFile(path);
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
