// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Plan } from "../core/plan.ts";
import { MASTER_NAME } from "../core/topologies/sentinel.ts";
import { ContainerPool } from "./container-pool.ts";
import type { ContainerSystem } from "./container-system.ts";
import { describeWithEngine } from "./testing/engine-required.ts";
import { RunScope } from "./cleanup/run-scope.ts";
import { connectTo, idlePlan, leftovers, nodeOf } from "./testing/servers.ts";

const SINGLE = idlePlan({ kind: "single" }, "fenced");
const ACQUIRE = { op: "acquire", key: "k", ttlMs: 60_000, waitMs: 0 } as const;

let logFolder: string;
let pool: ContainerPool;
let scopes: RunScope[];

beforeEach(() => {
  logFolder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  pool = new ContainerPool();
  scopes = [];
  const open = RunScope.open.bind(RunScope);
  vi.spyOn(RunScope, "open").mockImplementation(async () => {
    const scope = await open();
    scopes.push(scope);
    return scope;
  });
});

afterEach(async () => {
  await pool[Symbol.asyncDispose]();
  vi.restoreAllMocks();
  rmSync(logFolder, { recursive: true });
  for (const scope of scopes) expect(await leftovers(scope)).toEqual([]);
});

async function run(plan: Plan, work: (system: ContainerSystem) => Promise<void>): Promise<readonly string[]> {
  await using system = await pool.start(plan, { logFolder });
  await work(system);
  return system.nodes.map(({ containerId }) => containerId);
}

/** Makes the first client take the lock, and returns its fencing token: 1 on servers without an earlier lock. */
async function firstFence(system: ContainerSystem): Promise<number | undefined> {
  const reply = await system.clients[0]?.perform(ACQUIRE);
  return reply?.ok === true ? reply.fence : undefined;
}

describeWithEngine("systems that share their servers", () => {
  test("know nothing of the run before, regardless of its faults did", async () => {
    const nodes = await run(SINGLE, async (system) => {
      expect(await firstFence(system)).toBe(1);
      const write = { op: "write", key: "k", owner: "o", fence: 1, data: "d" } as const;
      expect(await system.clients[0]?.perform(write)).toMatchObject({ ok: true, position: 1 });
      const node = nodeOf(system, "node-0");
      await node.jumpClock(60_000);
      await system.network.cut({ from: "client-1", to: "node-0" });
      await system.network.cut({ from: "node-0", to: "client-1" });
      // Held by the cut, it would reach the server later.
      void system.clients[1]?.perform(ACQUIRE);
      await system.clients[0]?.pause();
    });
    const again = await run(SINGLE, async (system) => {
      const [client] = system.clients;
      expect(await client?.perform({ op: "read", key: "k" })).toEqual({ ok: true, position: 0 });
      expect(await firstFence(system)).toBe(1);
      const [, second] = system.clients;
      expect(await second?.perform(ACQUIRE)).toMatchObject({ ok: false, kind: "contended" });
      const { detail } = await nodeOf(system, "node-0").jumpClock(0);
      expect(detail).toMatch(/was -?\d{1,2} ms off/);
      await nodeOf(system, "node-0").kill();
    });
    // The last run left it dead.
    const third = await run(SINGLE, async (system) => {
      expect(await firstFence(system)).toBe(1);
      expect(await nodeOf(system, "node-0").state()).toBe("running");
    });
    expect([again, third]).toEqual([nodes, nodes]);
    expect(scopes).toHaveLength(1);
    const starts = readFileSync(join(logFolder, "node-0.log"), "utf8").match(/Ready to accept/g);
    expect(starts).toHaveLength(1);
  });

  test("notice deaths of their own run only", async () => {
    const notices: unknown[] = [];
    await run(SINGLE, async (system) => system.onNotice((notice) => notices.push(notice)));
    await run(SINGLE, async (system) => {
      await nodeOf(system, "node-0").kill();
      await nodeOf(system, "node-0").start({ keepData: true });
    });
    expect(notices).toEqual([]);
  });

  test("have as many clients as each plan wants", async () => {
    for (const clients of [3, 1, 2]) {
      await run(idlePlan({ kind: "single" }, "single", clients), async (system) => {
        expect(system.clients).toHaveLength(clients);
        for (const client of system.clients)
          expect(await client.perform({ op: "read", key: "k" })).toEqual({ ok: true, position: 0 });
      });
    }
    expect(scopes).toHaveLength(1);
  });

  test("do not share servers whose configuration somebody changed", async () => {
    const before = await run(SINGLE, async (system) => {
      const node = nodeOf(system, "node-0");
      await using redis = await connectTo({ host: node.networkAddress, port: 6379 });
      await redis.config("SET", "maxmemory", "10mb");
    });
    const after = await run(SINGLE, async (system) => {
      expect(await nodeOf(system, "node-0").command("CONFIG", "GET", "maxmemory")).toEqual(["maxmemory", "0"]);
    });
    expect(after).not.toEqual(before);
    expect(await leftovers(scopes[0] as RunScope)).toEqual([]);
  });

  test("have servers of their own while they run at a time, and leave them to those that follow", async () => {
    pool = new ContainerPool(2);
    const both = async (): Promise<readonly string[]> => {
      const [one, other] = [await pool.start(SINGLE, { logFolder }), await pool.start(SINGLE, { logFolder })];
      try {
        expect([await firstFence(one), await firstFence(other)]).toEqual([1, 1]);
        return [one, other].flatMap(({ nodes }) => nodes.map(({ containerId }) => containerId)).sort();
      } finally {
        await Promise.all([one[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
      }
    };
    const before = await both();
    expect(new Set(before).size).toBe(2);
    expect(await both()).toEqual(before);
    expect(scopes).toHaveLength(2);
    await run(idlePlan({ kind: "redlock" }, "redlock"), async () => {});
    // Room for two: one of the first two had to go.
    const rest = await Promise.all(scopes.map(async (scope) => (await leftovers(scope)).length));
    expect(rest.filter((left) => left > 0)).toHaveLength(2);
    expect(rest[2]).toBeGreaterThan(0);
  });

  describe("behind Sentinels", () => {
    const SENTINEL = idlePlan({ kind: "sentinel" }, "single");

    /** What decides how Sentinels and nodes behave from now on, without addresses, epochs and ages. */
    async function standing(system: ContainerSystem): Promise<unknown> {
      const flat = async (name: string, ...args: readonly string[]): Promise<ReadonlyMap<string, string>> => {
        const reply = (await nodeOf(system, name).command(...(args as [string]))) as readonly string[];
        return new Map(reply.flatMap((word, at) => (at % 2 === 0 ? [[word, reply[at + 1] ?? ""] as const] : [])));
      };
      const sentinels = system.nodes.filter(({ role }) => role === "sentinel");
      return Promise.all([
        system.roles(),
        ...sentinels.map(async ({ name }) => {
          const master = await flat(name, "SENTINEL", "MASTER", MASTER_NAME);
          const asked = [
            "flags",
            "num-slaves",
            "num-other-sentinels",
            "quorum",
            "config-epoch",
            "down-after-milliseconds",
          ];
          const wanted = [...asked, "failover-timeout", "parallel-syncs", "role-reported"];
          const at = system.nodes.find(({ networkAddress }) => networkAddress === master.get("ip"))?.name;
          return [at, ...wanted.map((field) => `${field} ${master.get(field)}`)];
        }),
        ...system.nodes
          .filter(({ role }) => role === "data")
          .map(async (node) => [
            await node.command("DBSIZE"),
            (await node.configuration()).replaceAll(/10\.213\.\d+/g, "net"),
          ]),
      ]);
    }

    test("start again from where they started, after a failover and other changes", async () => {
      let first: unknown;
      const before = await run(SENTINEL, async (system) => {
        first = await standing(system);
        expect(await system.clients[0]?.perform(ACQUIRE)).toMatchObject({ ok: true });
        const promoted = new Promise((resolve) =>
          system.onNotice((notice) => notice.kind === "promotion" && resolve(notice)),
        );
        await nodeOf(system, "node-0").kill();
        await promoted;
        await nodeOf(system, "node-0").start({ keepData: true });
      });
      let failedOver: readonly string[] = [];
      const after = await run(SENTINEL, async (system) => {
        expect(await standing(system)).toEqual(first);
        expect(await firstFence(system)).toBeUndefined();
        expect(await system.clients[1]?.perform(ACQUIRE)).toMatchObject({ ok: false, kind: "contended" });
        const promoted = new Promise<string>((resolve) =>
          system.onNotice((notice) => notice.kind === "promotion" && resolve(notice.node)),
        );
        expect(await system.requestFailover()).toMatchObject({ observed: true });
        failedOver = [await promoted];
      });
      expect(failedOver).not.toEqual(["node-0"]);
      const third = await run(SENTINEL, async (system) => {
        expect(await standing(system)).toEqual(first);
        expect(await system.clients[0]?.perform(ACQUIRE)).toMatchObject({ ok: true });
      });
      expect([after, third]).toEqual([before, before]);
    });

    test("are replaced when a Sentinel was stopped", async () => {
      const before = await run(SENTINEL, async (system) => void (await nodeOf(system, "sentinel-1").pause()));
      expect(await run(SENTINEL, async () => {})).not.toEqual(before);
      expect(await leftovers(scopes[0] as RunScope)).toEqual([]);
    });
  });

  test("do not share servers of another topology", async () => {
    await run(SINGLE, async () => {});
    await run(idlePlan({ kind: "redlock" }, "redlock"), async (system) => {
      expect(system.nodes).toHaveLength(5);
      expect(await leftovers(scopes[0] as RunScope)).toEqual([]);
    });
    await run(idlePlan({ kind: "redlock" }, "redlock"), async (system) => {
      expect(await system.clients[0]?.perform(ACQUIRE)).toMatchObject({ ok: true });
    });
    expect(scopes).toHaveLength(2);
  });
});
