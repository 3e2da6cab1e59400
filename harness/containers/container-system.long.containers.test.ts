// @module-tag long
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { UserError } from "../core/errors.ts";
import type { Notice } from "../core/system.ts";
import { dataNodes, sentinelNodes, topologySchema } from "../core/topology.ts";
import { type ContainerSystem, startContainerSystem } from "./container-system.ts";
import { connectEngine } from "./engine/engine.ts";
import { describeWithEngine } from "./testing/engine-required.ts";
import { RUN_LABEL } from "./cleanup/labels.ts";
import { RunScope } from "./cleanup/run-scope.ts";
import { idlePlan, leftovers, nodeOf } from "./testing/servers.ts";

const AWHILE = { timeout: 20_000, interval: 20 };

let logFolder: string;
/** Every scope that was opened in a test. */
let scopes: RunScope[];

beforeEach(() => {
  logFolder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  scopes = [];
  const open = RunScope.open.bind(RunScope);
  vi.spyOn(RunScope, "open").mockImplementation(async () => {
    const scope = await open();
    scopes.push(scope);
    return scope;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(logFolder, { recursive: true });
});

async function expectNothingLeft(): Promise<void> {
  expect(scopes).toHaveLength(1);
  for (const scope of scopes) expect(await leftovers(scope)).toEqual([]);
}

describeWithEngine("a system in containers", () => {
  test.each([
    ["single", "single"],
    ["sentinel", "fenced"],
    ["redlock", "redlock"],
  ] as const)(
    "of topology %s comes up with clients that are granted the lock, and goes without a trace",
    async (kind, lock) => {
      const system = await startContainerSystem(idlePlan({ kind }, lock), { logFolder });
      expect(system.nodes.map(({ name }) => name)).toEqual([...dataNodes(kind), ...sentinelNodes(kind)]);
      const masters = kind === "sentinel" ? ["node-0"] : dataNodes(kind);
      const replicas = kind === "sentinel" ? ["node-1", "node-2"] : [];
      expect(await system.roles()).toEqual({ masters, replicas });

      const [first, second] = system.clients;
      const acquire = { op: "acquire", key: "k", ttlMs: 5_000, waitMs: 0 } as const;
      const granted = await first?.perform(acquire);
      expect(granted).toMatchObject({ ok: true, owner: expect.any(String) });
      expect(await second?.perform(acquire)).toMatchObject({ ok: false, kind: "contended" });
      const grantedAt = granted?.ok === true ? granted.grantedAt : undefined;
      expect(grantedAt).toBeGreaterThan(0);
      expect(grantedAt).toBeLessThan(system.clock.now());

      const states = await Promise.all(system.clients.map((client) => client.state()));
      expect(states).toEqual(["running", "running"]);
      await system[Symbol.asyncDispose]();
      expect(await first?.state()).toBe("dead");
      await expectNothingLeft();
      const logs = [...dataNodes(kind), ...sentinelNodes(kind), "client-0", "client-1", "resource"];
      expect(readdirSync(logFolder)).toEqual(logs.map((name) => `${name}.log`).sort());
      expect(readFileSync(join(logFolder, "node-0.log"), "utf8")).toContain("Ready to accept connections");
    },
  );

  test("whose lock cannot connect does not start, and leaves nothing", async () => {
    const lock = join(logFolder, "driver.mjs");
    writeFileSync(lock, `export default { connect: () => Promise.reject(new Error("no such thing")) };`);
    const failure = startContainerSystem(idlePlan({ kind: "single" }, lock), { logFolder });
    await expect(failure).rejects.toThrow("the lock of client-0 could not connect: no such thing");
    await expect(failure).rejects.toBeInstanceOf(UserError);
    await expectNothingLeft();
  });

  test("whose nodes refuse their configuration does not start, says why, and leaves nothing", async () => {
    const plan = idlePlan({ kind: "redlock", config: { "maxmemory-polizy": "noeviction" } }, "redlock");
    const begun = performance.now();
    const failure = startContainerSystem(plan, { logFolder });
    await expect(failure).rejects.toThrow(/node-\d did not start: .*maxmemory-polizy/);
    await expect(failure).rejects.toBeInstanceOf(UserError);
    expect(performance.now() - begun).toBeLessThan(9_000);
    await expectNothingLeft();
  });

  test("for which a port is asked that somebody has does not start, and leaves nothing", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const failure = startContainerSystem(idlePlan({ kind: "redlock" }, "redlock"), { logFolder, proxyPort: port });
    await expect(failure).rejects.toThrow(`port ${port} on 127.0.0.1 cannot be used`);
    await expectNothingLeft();
  });
});

describeWithEngine("what a system notices", () => {
  let system: ContainerSystem;
  let notices: Notice[];

  beforeEach(async () => {
    system = await startContainerSystem(idlePlan(topologySchema.parse({ kind: "single" }), "single"), { logFolder });
    notices = [];
    system.onNotice((notice) => notices.push(notice));
  });

  afterEach(() => system[Symbol.asyncDispose]());

  const died = (name: string): unknown => ({ kind: "died", name, evidence: expect.any(String) });

  /** Kills a container of the run as an outsider would, by the server it runs. */
  async function killBehindOurBack(port: string): Promise<void> {
    const engine = await connectEngine();
    const filters = { label: [`${RUN_LABEL}=${scopes[0]?.runId}`] };
    for (const { Id, Command } of await engine.listContainers({ filters })) {
      if (Command.includes(port)) await engine.getContainer(Id).kill();
    }
  }

  test("is not what faults do to nodes and clients", async () => {
    const node = nodeOf(system, "node-0");
    for (let round = 0; round < 3; round += 1) {
      await node.kill();
      await node.start({ keepData: true });
    }
    await system.clients[0]?.kill();
    await node.pause();
    await node.resume();
    // Events come in order: when this one has come, the others have.
    await killBehindOurBack("-port");
    await expect.poll(() => notices, AWHILE).toEqual([died("Toxiproxy")]);
  });

  test("is a node that was killed by somebody else, after a fault killed it too", async () => {
    const node = nodeOf(system, "node-0");
    await node.kill();
    await node.start({ keepData: true });
    const engine = await connectEngine();
    await engine.getContainer(node.containerId).kill();
    await expect.poll(() => notices, AWHILE).toEqual([died("node-0")]);
  });

  test("is a client that died by itself", async () => {
    const { pid } = system.clients[1] ?? {};
    if (pid === undefined) throw new Error("the client has no process");
    process.kill(pid, "SIGKILL");
    await expect.poll(() => notices, AWHILE).toEqual([died("client-1")]);
  });
});
