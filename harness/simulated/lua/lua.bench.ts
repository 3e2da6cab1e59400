/**
 * What a script costs: `node harness/simulated/lua/lua.bench.ts`. Microseconds, the best of several rounds, because other
 * work on the machine only ever adds to them.
 */
import { encodeCommand, toBytes } from "../redis/resp-encoder.ts";
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

/** Microseconds a time. */
function measure(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    for (let index = 0; index < REPETITIONS; index += 1) work();
    best = Math.min(best, ((performance.now() - start) * 1000) / REPETITIONS);
  }
  return best;
}

/** The script alone: its commands are answered from a table. */
function alone({ source, keys, args }: Script): number {
  const answers = new Map<string, Value>([["get", "owner"]]);
  const runtime = createRuntime("user_script", () => ({
    redis: LuaTable.from({ call: ([name]) => [answers.get(typeof name === "string" ? name : "") ?? 1] }),
  }));
  const bound = compile(source, "user_script")(runtime);
  return measure(() => {
    const globals = { KEYS: LuaTable.of(...keys), ARGV: LuaTable.of(...args) };
    runScript(bound, runtime, { globals, steps: 1_000_000 });
  });
}

/** From the bytes of a request to the bytes of its reply. */
function asRequest(argvOf: (client: TestClient) => readonly string[]): number {
  const client = new TestClient(testServer(new TestClock()));
  client.run("set lock owner");
  const request = toBytes(encodeCommand(argvOf(client)));
  return measure(() => {
    client.session.receive(request);
    client.take();
  });
}

function show(name: string, microseconds: number): void {
  process.stdout.write(`${microseconds.toFixed(2).padStart(8)} us  ${name}\n`);
}

for (const script of SCRIPTS) show(`${script.name}: the script alone`, alone(script));
for (const script of SCRIPTS) {
  const { name, source, keys, args } = script;
  const evalsha = asRequest((client) => {
    const sha = client.command("script", "load", source).slice(5, 45);
    return ["evalsha", sha, String(keys.length), ...keys, ...args];
  });
  show(`${name}: EVALSHA, bytes to bytes`, evalsha);
}
for (const line of ["get lock", "set lock owner nx px 30000"])
  show(
    `${line}, bytes to bytes`,
    asRequest(() => line.split(" ")),
  );
