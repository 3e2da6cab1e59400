/** The cost of a script in the simulated Redis. */
import type { Benchmark } from "../../bench/benchmark.ts";
import type { Table } from "../../bench/table.ts";
import { encodeCommand, toBytes } from "../redis/protocol/resp-encoder.ts";
import { TestClient, TestClock, testServer } from "../redis/testing/test-client.ts";
import { compile, createRuntime, LuaTable, runScript, type Value } from "./script.ts";

const ROUNDS = 5;
const REPETITIONS = 40_000;

interface Script {
  readonly name: string;
  readonly source: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Scripts as lock libraries have them. */
const SCRIPTS: readonly Script[] = [
  {
    name: "compare and delete",
    source: `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`,
    keys: ["lock"],
    args: ["not-the-owner"],
  },
  {
    name: "compare and prolong",
    source: `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end`,
    keys: ["lock"],
    args: ["owner", "30000"],
  },
  {
    name: "grant with a fencing token",
    source: `if redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2]) then return redis.call("INCR", KEYS[2]) end return -1`,
    keys: ["other", "fence"],
    args: ["owner", "30000"],
  },
  {
    name: "re-entrant lock on a hash",
    source: `if redis.call("exists", KEYS[1]) == 0 or redis.call("hexists", KEYS[1], ARGV[2]) == 1 then
      redis.call("hincrby", KEYS[1], ARGV[2], 1)
      redis.call("pexpire", KEYS[1], ARGV[1])
      return nil
    end
    return redis.call("pttl", KEYS[1])`,
    keys: ["hash"],
    args: ["30000", "owner"],
  },
];

/** Microseconds per call, one figure per round. */
function measure(work: () => void, rounds: number): readonly number[] {
  return Array.from({ length: rounds }, () => {
    const startMs = performance.now();
    for (let index = 0; index < REPETITIONS; index += 1) work();
    return ((performance.now() - startMs) * 1000) / REPETITIONS;
  });
}

/** The script alone: a table answers its commands. */
function alone({ source, keys, args }: Script, rounds: number): readonly number[] {
  const answers = new Map<string, Value>([["get", "owner"]]);
  const runtime = createRuntime("user_script", () => ({
    redis: LuaTable.from({ call: ([name]) => [answers.get(typeof name === "string" ? name : "") ?? 1] }),
  }));
  const bound = compile(source, "user_script")(runtime);
  return measure(() => {
    const globals = { KEYS: LuaTable.of(...keys), ARGV: LuaTable.of(...args) };
    runScript(bound, runtime, { globals, steps: 1_000_000 });
  }, rounds);
}

/** From the bytes of a request to the bytes of its reply. */
function asRequest(argvOf: (client: TestClient) => readonly string[], rounds: number): readonly number[] {
  const client = new TestClient(testServer(new TestClock()));
  client.run("set lock owner");
  const request = toBytes(encodeCommand(argvOf(client)));
  return measure(() => {
    client.session.receive(request);
    client.take();
  }, rounds);
}

function evalsha({ source, keys, args }: Script, rounds: number): readonly number[] {
  return asRequest((client) => {
    const sha = client.command("script", "load", source).slice(5, 45);
    return ["evalsha", sha, String(keys.length), ...keys, ...args];
  }, rounds);
}

export const benchmark: Benchmark = {
  *run({ effort, step, signal }): Generator<Table> {
    const rounds = ROUNDS * effort;
    const rows: Table["rows"][number][] = [];
    const add = (what: string, measured: () => readonly number[]): void => {
      signal.throwIfAborted();
      step(what);
      const us = measured();
      rows.push({ what, best: Math.min(...us), us });
    };
    for (const script of SCRIPTS) add(`${script.name}: the script alone`, () => alone(script, rounds));
    for (const script of SCRIPTS) add(`${script.name}: EVALSHA, bytes to bytes`, () => evalsha(script, rounds));
    for (const line of ["get lock", "set lock owner nx px 30000"]) {
      add(`${line}, bytes to bytes`, () => asRequest(() => line.split(" "), rounds));
    }
    yield {
      title: "Scripts in the simulated Redis, microseconds",
      columns: [
        { key: "what", title: "what" },
        { key: "best", title: "best", digits: 2 },
        { key: "us", title: "median [least..most]", digits: 2 },
      ],
      rows,
      notes: ["Other work on the machine only ever adds: the best is the nearest to what it costs."],
    };
  },
};
