import { expect, test } from "vitest";
import { describeWithEngine } from "../../containers/testing/engine-required.ts";
import type { Address } from "../../core/lock-driver.ts";
import { RealServers } from "../../../lock-impl/testing/real-redis.ts";
import { awaitCondition } from "../../containers/engine/await-condition.ts";
import { NodeWorld } from "./testing/node-world.ts";

/** Two servers, the second following the first once it is told to; real or simulated. */
interface Pair {
  ask(index: number, ...argv: readonly (string | number)[]): Promise<unknown>;
  address(index: number): Address;
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
}

const CONFIG = { save: "", "repl-ping-replica-period": "1000", "repl-diskless-sync-delay": "0" };

const COMPARED =
  /^(role|connected_slaves|slave0|master_link_status|master_replid2?|master_repl_offset|second_repl_offset|repl_backlog_\w+):(.*)$/gm;

/** The replication section of INFO, histories named in the order in which they appeared. */
class Report {
  readonly lines: string[] = [];
  readonly #pair: Pair;
  readonly #histories = new Map([["0".repeat(40), "none"]]);

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  async add(title: string): Promise<void> {
    for (const index of [0, 1]) {
      const info = String(await this.#pair.ask(index, "INFO", "replication"));
      const facts = Array.from(info.replaceAll("\r", "").matchAll(COMPARED), ([, name, value = ""]) => {
        const shown = /^[0-9a-f]{40}$/.test(value) ? this.#name(value) : value.replace(/ip=.*,lag=\d+/, "attached");
        return `${name} ${shown}`;
      });
      this.lines.push(`${title}, server ${index}: ${facts.join(", ")}`);
    }
  }

  #name(id: string): string {
    const name = this.#histories.get(id) ?? `history ${this.#histories.size}`;
    this.#histories.set(id, name);
    return name;
  }
}

async function program(pair: Pair): Promise<readonly string[]> {
  const report = new Report(pair);
  const caughtUp = (from: number, to: number): Promise<void> =>
    pair.until("the replica has caught up", async () => (await offset(pair, from)) === (await offset(pair, to)));
  const follow = async (index: number, master: number): Promise<void> => {
    const { host, port } = pair.address(master);
    await pair.ask(index, "REPLICAOF", host, port);
    await pair.until("the link is up", async () => /link_status:up/.test(String(await pair.ask(index, "INFO"))));
    await pair.until("the replica is online", async () => /state=online/.test(String(await pair.ask(master, "INFO"))));
  };

  for (const key of ["a", "b", "c"]) await pair.ask(0, "SET", key, 1);
  await follow(1, 0);
  await report.add("attached");
  await pair.ask(0, "SET", "lock", "owner", "NX", "PXAT", 4_000_000_000_000);
  await pair.ask(0, "INCR", "fence");
  await pair.ask(0, "EVAL", "redis.call('SET', KEYS[1], 1) return redis.call('DEL', KEYS[1], 'lock')", 1, "s");
  await pair.ask(0, "DEL", "nothing");
  await caughtUp(0, 1);
  await report.add("written");
  await pair.ask(1, "REPLICAOF", "NO", "ONE");
  await pair.until("the master is alone", async () =>
    /connected_slaves:0/.test(String(await pair.ask(0, "INFO", "replication"))),
  );
  await report.add("promoted");
  await follow(0, 1);
  await report.add("the old master follows, without a difference");
  await pair.ask(1, "SET", "a", 2);
  await caughtUp(1, 0);
  await pair.ask(1, "REPLICAOF", "NO", "ONE");
  await pair.ask(0, "REPLICAOF", "NO", "ONE");
  await pair.ask(0, "SET", "a", "only here");
  await follow(0, 1);
  await report.add("the old master follows, with a difference");
  report.lines.push(JSON.stringify(await pair.ask(0, "MGET", "a", "b", "lock", "fence")));
  report.lines.push(JSON.stringify(await pair.ask(1, "ROLE")).replace(/"[\d.]+","\d+",/, "address, "));
  return report.lines;
}

async function offset(pair: Pair, index: number): Promise<string> {
  return /master_repl_offset:(\d+)/.exec(String(await pair.ask(index, "INFO", "replication")))?.[1] ?? "";
}

async function inSimulation(): Promise<readonly string[]> {
  const world = new NodeWorld({ nodes: 2, config: CONFIG });
  // It followed from the start; here it is to begin alone.
  world.ask(1, "REPLICAOF", "NO", "ONE");
  world.node(0).host.kill();
  world.node(1).host.kill();
  for (const index of [0, 1]) {
    world.node(index).start(true);
    world.ask(index, "REPLICAOF", "NO", "ONE");
    world.ask(index, "CONFIG", "REWRITE");
    world.node(index).host.kill();
    world.node(index).start(true);
  }
  return await program({
    ask: async (index, ...argv) => {
      const reply = world.ask(index, ...argv);
      await world.advance(5);
      return reply;
    },
    address: (index) => ({ host: world.node(index).address, port: 6379 }),
    until: async (what, holds) => {
      for (let tries = 0; tries < 1000; tries += 1) if (await holds()) return;
      throw new Error(`it did not come about that ${what}`);
    },
  });
}

async function inReality(): Promise<readonly string[]> {
  await using real = await RealServers.start(2, CONFIG);
  const server = (index: number) => real.servers[index] ?? real.first;
  return await program({
    ask: (index, name, ...argv) => server(index).redis.call(String(name), ...argv),
    address: (index) => server(index).address,
    until: (what, holds) =>
      awaitCondition(what, 10_000, async () => ((await holds()) ? true : undefined)).then(() => {}),
  });
}

describeWithEngine("replication", () => {
  test("offsets, histories and backlogs are those of a real pair, to the byte", async () => {
    expect(await inSimulation()).toEqual(await inReality());
  });
});
