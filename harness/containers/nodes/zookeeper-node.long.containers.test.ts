// @module-tag long
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createContainer, getData } from "../../../lock-impl/alternatives/zookeeper/requests.ts";
import { Session } from "../../../lock-impl/alternatives/zookeeper/session.ts";
import { UserError } from "../../core/errors.ts";
import type { ContainerNode } from "./container-node.ts";
import { startContainerSystem } from "../container-system.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { idlePlan, nodeOf, useServers } from "../testing/servers.ts";

describeWithEngine("a node that is a ZooKeeper server", () => {
  describe("that never syncs", () => {
    const servers = useServers({ kind: "zookeeper", persistence: "none", config: { maxClientCnxns: "77" } });
    let node: ContainerNode;
    let session: Session;

    beforeEach(async () => {
      node = nodeOf(servers(), "node-0");
      session = new Session(servers().address("node-0"), 60_000, () => {});
      await session.connected();
    });
    afterEach(() => session[Symbol.asyncDispose]());

    test("has the settings of its topology", async () => {
      const settings = await node.configuration();
      for (const setting of ["maxClientCnxns=77", "tickTime=100", "minSessionTimeout=200"]) {
        expect(settings).toContain(setting);
      }
    });

    test("is the first process of its container, without privileges", async () => {
      expect(await node.runInside("grep -q '^Name:.java$' /proc/1/status")).toBe(true);
      expect(await node.runInside("grep -Eq '^Uid:.[1-9]' /proc/1/status")).toBe(true);
      expect(await node.runInside("grep -Eq '^CapEff:.0+$' /proc/1/status")).toBe(true);
    });

    test("has what it acknowledged after it was killed and started, and nothing after it lost its disk", async () => {
      expect(await session.request(createContainer("/kept"))).toMatchObject({ type: "done" });
      expect(await node.kill()).toEqual({ observed: true, detail: "node-0 ended with exit code 137" });
      await expect(node.command("srvr")).rejects.toThrow("node-0 did not answer srvr");
      expect(await node.start({ keepData: true })).toMatchObject({
        observed: true,
        detail: expect.stringMatching(/^node-0 started with what its disk kept, [1-9]\d* znodes$/),
      });
      await session.connected();
      const kept = getData("/kept", { watch: false });
      expect(await session.request(kept)).toMatchObject({ type: "done" });
      await node.kill();
      expect(await node.start({ keepData: false })).toMatchObject({ observed: true });
      await using another = new Session(servers().address("node-0"), 60_000, () => {});
      await another.connected();
      expect(await another.request(kept)).toMatchObject({ type: "refused" });
    });

    test("cannot lose its power, because nobody knows what would be left", () => {
      expect(node.losePower).toBeUndefined();
    });

    test("that is paused answers nobody, and goes on when it is resumed", async () => {
      expect(await node.pause()).toEqual({ observed: true, detail: "node-0 is paused" });
      expect(await node.replicationRole()).toBeUndefined();
      expect(await node.resume()).toEqual({ observed: true, detail: "node-0 answers again" });
      expect(await node.replicationRole()).toBe("master");
    });

    test.each([90_000, -180_000, 90_000])("tells the time that its clock was stepped to, by %d ms", async (byMs) => {
      const { observed, detail } = await node.jumpClock(byMs);
      expect(detail).toMatch(/^the clock of node-0 was -?[\d,]+ ms off, then -?[\d,]+ ms$/);
      expect(observed).toBe(true);
    });

    test("is cut off and reached again by its clients' links", async () => {
      const [link] = (await servers().link(["tester"])).values();
      const cut = await link?.hold("upstream");
      expect(cut).toEqual({ observed: true, detail: "tester->node-0: no answer to ruok in 60 ms" });
      expect(await link?.heal("upstream")).toMatchObject({ observed: true });
      expect(await link?.delay("downstream", 100)).toMatchObject({ observed: true });
      expect(await link?.heal("downstream")).toMatchObject({ observed: true });
      expect(await link?.reset()).toMatchObject({ observed: true });
    });
  });

  test("that syncs before each reply has all that it acknowledged after its power was gone", async () => {
    const logFolder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
    try {
      const plan = idlePlan({ kind: "zookeeper", persistence: "always" }, "zookeeper");
      await using system = await startContainerSystem(plan, { logFolder });
      const [client] = system.clients;
      const [node] = system.nodes;
      const acquire = { op: "acquire", key: "k", ttlMs: 30_000, waitMs: 0 } as const;
      expect(await client?.perform(acquire)).toMatchObject({ ok: true });
      expect(await node?.losePower?.()).toMatchObject({ observed: true });
      await node?.start({ keepData: true });
      expect(await system.clients[1]?.perform(acquire)).toMatchObject({ ok: false, kind: "contended" });
    } finally {
      rmSync(logFolder, { recursive: true });
    }
  });

  test("with a configuration that it does not understand does not start, and says why", async () => {
    const plan = idlePlan({ kind: "zookeeper", config: { tickTime: "soon" } }, "zookeeper");
    const logFolder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
    try {
      const starting = startContainerSystem(plan, { logFolder });
      await expect(starting).rejects.toThrow(UserError);
      await expect(starting).rejects.toThrow("Invalid config");
    } finally {
      rmSync(logFolder, { recursive: true });
    }
  });
});
