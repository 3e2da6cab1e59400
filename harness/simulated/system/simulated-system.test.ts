import { describe, expect, test } from "vitest";
import { planSchema } from "../../core/plan.ts";
import type { Notice, SystemUnderTest } from "../../core/system.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";
import type { LockDriver } from "../../core/lock-driver.ts";
import "./testing/simulated-run.ts";

const { simulate } = await import("./simulate.ts");

/** A lock whose clients do nothing, or run the test's function when they acquire. */
function idle(acquire: () => void = () => {}): LockDriver {
  return {
    connect: () =>
      Promise.resolve({
        acquire: () => {
          acquire();
          return Promise.resolve({ type: "fail", kind: "contended", reason: "idle" });
        },
        release: () => Promise.resolve({ type: "ok", value: { released: true } }),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  };
}

async function within<T>(
  kind: TopologyKind,
  work: (system: SystemUnderTest) => Promise<T>,
  options: { readonly persistence?: "everysec"; readonly driver?: LockDriver } = {},
): Promise<T> {
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 3,
    lock: "idle",
    topology: { kind, persistence: options.persistence ?? "none" },
    clients: [{ sections: [] }, { sections: [] }],
    faults: [],
  });
  return (await simulate({ plan, driver: options.driver ?? idle() }, work)).value;
}

function nodeOf(system: SystemUnderTest, name: string) {
  const node = system.nodes.find((candidate) => candidate.name === name);
  if (node === undefined) throw new Error(`there is no ${name}`);
  return node;
}

describe("a system", () => {
  test.each([
    ["single", ["node-0"]],
    ["sentinel", ["node-0", "node-1", "node-2", "sentinel-0", "sentinel-1", "sentinel-2"]],
    ["redlock", ["node-0", "node-1", "node-2", "node-3", "node-4"]],
  ] as const)("of kind %s has its nodes in order, running, and a clock at 0", async (kind, names) => {
    await within(kind, async (system) => {
      expect(system.nodes.map(({ name }) => name)).toEqual(names);
      for (const node of system.nodes) expect(await node.state()).toBe("running");
      expect(system.clients.map(({ name }) => name)).toEqual(["client-0", "client-1"]);
      expect(system.clock.now()).toBe(0);
      await system.clock.sleep(1.5);
      expect(system.clock.now()).toBe(1_500_000);
    });
  });

  test("with Sentinels begins when a write reaches every replica and all agree on who is master", async () => {
    await within("sentinel", async (system) => {
      expect(await system.roles()).toEqual({ masters: ["node-0"], replicas: ["node-1", "node-2"] });
      expect(await nodeOf(system, "node-1").command("DBSIZE")).toBe(0);
      for (const name of ["sentinel-0", "sentinel-1", "sentinel-2"]) {
        expect(await nodeOf(system, name).command("SENTINEL", "CKQUORUM", "lockstorm")).toMatch(/^OK 3 usable/);
      }
      await nodeOf(system, "node-0").command("SET", "k", "v");
      expect(await nodeOf(system, "node-0").command("WAIT", 2, 100)).toBe(2);
    });
  });

  test("fails over on request, and notices who was promoted", async () => {
    await within("sentinel", async (system) => {
      const notices: Notice[] = [];
      system.onNotice((notice) => notices.push(notice));
      expect(await system.requestFailover()).toEqual({ observed: true, detail: "sentinel-0 began a failover" });
      expect(await system.requestFailover()).toMatchObject({
        observed: false,
        detail: expect.stringContaining("INPROG"),
      });
      await system.clock.sleep(15_000);
      expect(notices).toMatchObject([{ kind: "promotion" }]);
      const { masters, replicas } = await system.roles();
      expect(notices).toMatchObject([{ node: masters[0] }]);
      expect([masters.length, replicas.length]).toEqual([1, 2]);
    });
  });

  test("notices a client that its own lock crashes, and goes on", async () => {
    const driver = idle(() => {
      setImmediate(() => {
        throw new Error("nobody catches this");
      });
    });
    const notices: Notice[] = [];
    await within(
      "single",
      async (system) => {
        system.onNotice((notice) => notices.push(notice));
        await system.clients[0]?.perform({ op: "acquire", key: "k", ttlMs: 1000, waitMs: 0 });
        await system.clock.sleep(1);
      },
      { driver },
    );
    expect(notices).toMatchObject([
      { kind: "crashed", name: "client-0", evidence: expect.stringContaining("nobody catches this") },
    ]);
  });
});

describe("a node", () => {
  test("answers errors and late replies as such", async () => {
    await within("sentinel", async (system) => {
      const node = nodeOf(system, "node-0");
      await expect(node.command("NO", "SUCH")).rejects.toThrow("ERR unknown command 'NO'");
      await nodeOf(system, "node-1").kill();
      await node.command("SET", "k", "v");
      const before = system.clock.now();
      expect(await node.command("WAIT", 2, 150)).toBe(1);
      expect((system.clock.now() - before) / 1e6).toBeGreaterThan(149);
    });
  });

  test.each([
    ["a client", ["pfadd", "k", "1"], "PFADD"],
    ["a script", ["EVAL", "return redis.call('GeoAdd', 'k', 1, 2, 'm')", "0"], "GEOADD"],
  ])("ends the run, and names the command, when %s asks for one that only real servers have", async (_, argv, name) => {
    const [command = "", ...rest] = argv;
    const asked = within("single", async (system) => nodeOf(system, "node-0").command(command, ...rest));
    await expect(asked).rejects.toMatchObject({
      name: "UserError",
      message: `the simulated servers have no ${name}, which the lock uses`,
    });
  });

  test.each(["slots", "SHARDS"])(
    "ends the run, and says that there is no cluster, when a client asks for %s",
    async (name) => {
      const asked = within("single", async (system) => nodeOf(system, "node-0").command("cluster", name));
      await expect(asked).rejects.toMatchObject({
        name: "UserError",
        message: `the lock's client asks for a cluster (CLUSTER ${name.toUpperCase()}), and there is none`,
      });
    },
  );

  test.each([
    ["POST", "/", "HTTP/1.1"],
    ["Host:", "node-0"],
  ])("ends the run, and says that it speaks no HTTP, when a client sends %s", async (command, ...rest) => {
    const asked = within("single", async (system) => nodeOf(system, "node-0").command(command, ...rest));
    await expect(asked).rejects.toMatchObject({
      name: "UserError",
      message: "the lock's client sends HTTP requests to node-0, which speaks only the protocol of Redis",
    });
  });

  test("answers a client that looks whether there is a cluster", async () => {
    await within("single", async (system) => {
      await expect(nodeOf(system, "node-0").command("CLUSTER", "INFO")).rejects.toThrow("cluster support disabled");
    });
  });

  test("that dies owes no answer any more, and its next life answers again", async () => {
    await within("single", async (system) => {
      const node = nodeOf(system, "node-0");
      const [waiting, behind] = [node.command("WAIT", 1, 0), node.command("PING")];
      await node.kill();
      await expect(waiting).rejects.toThrow("node-0 closed before it answered WAIT");
      await expect(behind).rejects.toThrow("node-0 closed before it answered PING");
      await node.start({ keepData: true });
      expect(await node.command("PING")).toBe("PONG");
    });
  });

  test("that is paused or dead answers nothing", async () => {
    await within("redlock", async (system) => {
      const node = nodeOf(system, "node-3");
      expect(await node.pause()).toEqual({ observed: true, detail: "node-3 is paused" });
      await expect(node.command("PING")).rejects.toThrow("node-3 is paused");
      await node.resume();
      expect(await node.command("PING")).toBe("PONG");
      await node.kill();
      await expect(node.command("PING")).rejects.toThrow("node-3 is dead");
      expect(await node.pause()).toMatchObject({ observed: false });
    });
  });

  test("starts only when it is dead, with or without its data", async () => {
    await within(
      "single",
      async (system) => {
        const node = nodeOf(system, "node-0");
        await node.command("SET", "k", "v");
        expect(await node.start({ keepData: false })).toMatchObject({ observed: false });
        expect(await node.command("GET", "k")).toBe("v");
        await node.kill();
        expect(await node.start({ keepData: true })).toEqual({
          observed: true,
          detail: "node-0 started with what its disk kept, 1 keys",
        });
        await node.kill();
        expect(await node.start({ keepData: false })).toEqual({
          observed: true,
          detail: "node-0 started empty, 0 keys",
        });
      },
      { persistence: "everysec" },
    );
  });

  test("of Sentinel's can be stopped, killed and started", async () => {
    await within("sentinel", async (system) => {
      const sentinel = nodeOf(system, "sentinel-1");
      expect(sentinel.role).toBe("sentinel");
      await sentinel.kill();
      await expect(sentinel.command("PING")).rejects.toThrow("dead");
      expect(await sentinel.start({ keepData: true })).toMatchObject({ observed: true });
      expect(await sentinel.command("PING")).toBe("PONG");
      await expect(sentinel.command("SENTINEL", "FAILOVER", "nobody")).rejects.toThrow("No such master");
      expect(await sentinel.jumpClock(-5000)).toMatchObject({ observed: true });
    });
  });
});

test("time that stands because nothing can happen any more is an error", async () => {
  await expect(within("single", () => new Promise(() => {}))).rejects.toThrow(/virtual time|came to a stand/);
});
