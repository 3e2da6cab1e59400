import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { topologySchema } from "../../core/topology.ts";
import { readFaultWords } from "./fault-words.ts";
import { Service } from "./service.ts";

const topology = topologySchema.parse({ kind: "single" });

test("a recording has the commands of each client with their replies, and the faults", { tags: "long" }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const recording = join(folder, "wire.jsonl");
  {
    await using service = await Service.start({ topology, seed: 7, clients: 2, recording, onEvent: () => {} });
    const [[, address] = []] = service.addressesOf("client-1");
    if (address === undefined) throw new Error("client-1 reaches no server");
    const redis = new Redis({ ...address, retryStrategy: () => null });
    redis.on("error", () => {});
    await redis.set("k", "owner", "PX", 1000, "NX");
    await service.ask(readFaultWords("partition client-1 | node-0", topology));
    const lost = redis.get("k").catch(() => {});
    const isSent = (): boolean => readFileSync(recording, "utf8").includes('"get"');
    while (!isSent()) await new Promise((resolve) => setImmediate(resolve));
    redis.disconnect();
    await lost;
  }
  const lines = readFileSync(recording, "utf8").trimEnd().split("\n");
  const [head, ...rest] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(head).toEqual({ format: "lockstorm-commands", version: 1, topology: "single", seed: 7 });
  const idOf = (word: string): unknown => rest.find(({ words }) => Array.isArray(words) && words[0] === word)?.["id"];
  const of = (word: string): unknown[] => rest.filter(({ id }) => id === idOf(word));
  const set = ["set", "k", "owner", "PX", "1000", "NX"];
  const moment = expect.any(Number) as number;
  expect(of("set")).toEqual([
    {
      id: idOf("set"),
      sentMs: moment,
      client: "client-1",
      server: "node-0",
      connection: expect.any(String),
      words: set,
    },
    { id: idOf("set"), repliedMs: moment, reply: "OK" },
  ]);
  expect(of("get")).toMatchObject([{ words: ["get", "k"] }]);
  expect(rest).toContainEqual({ atMs: moment, event: expect.stringContaining("partition: installed") });
});
