// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../../core/errors.ts";
import type { ContainerNode } from "./container-node.ts";
import { ContainerPool } from "../container-pool.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { idlePlan, nodeOf, useServers } from "../testing/servers.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

/** The only value of the only row. */
async function ask(node: ContainerNode, expression: string): Promise<unknown> {
  const [row] = (await node.command(`SELECT ${expression} AS value`)) as Rows;
  return row?.["value"];
}

const TABLES = "(SELECT count(*) FROM pg_tables WHERE schemaname = 'public')";
const backends = "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')";

describeWithEngine("a node that is a PostgreSQL server", () => {
  describe("that never syncs", () => {
    const servers = useServers({ kind: "postgres", persistence: "none", config: { work_mem: "1234kB" } });
    let node: ContainerNode;

    beforeEach(async () => {
      await servers().renew();
      node = nodeOf(servers(), "node-0");
    });

    test("has the settings of its topology", async () => {
      const settings = ["fsync", "synchronous_commit", "work_mem"].map((name) => `current_setting('${name}')`);
      expect(await ask(node, `ARRAY[${settings.join(", ")}]`)).toEqual(["off", "on", "1234kB"]);
    });

    test("is the first process of its container, without privileges", async () => {
      expect(await node.runInside("grep -q '^Name:.postgres$' /proc/1/status")).toBe(true);
      expect(await node.runInside("grep -Eq '^Uid:.[1-9]' /proc/1/status")).toBe(true);
      expect(await node.runInside("grep -Eq '^CapEff:.0+$' /proc/1/status")).toBe(true);
    });

    test("has what was committed after it was killed and started, and nothing after it lost its disk", async () => {
      await node.command("CREATE TABLE kept AS SELECT 42 AS answer");
      expect(await node.kill()).toEqual({ observed: true, detail: "node-0 ended with exit code 137" });
      await expect(ask(node, "1")).rejects.toThrow("node-0 did not execute SELECT 1");
      expect(await node.start({ keepData: true })).toEqual({
        observed: true,
        detail: "node-0 started with what its disk kept, 1 tables",
      });
      expect(await ask(node, "(SELECT answer FROM kept)")).toBe(42);
      await node.kill();
      expect(await node.start({ keepData: false })).toEqual({
        observed: true,
        detail: "node-0 started empty, 0 tables",
      });
    });

    test("cannot lose its power, because nobody knows what would be left", () => {
      expect(node.losePower).toBeUndefined();
    });

    test("that is paused answers nobody, and goes on with all it had when it is resumed", async () => {
      expect(await node.pause()).toEqual({ observed: true, detail: "node-0 is paused" });
      expect(await node.replicationRole()).toBeUndefined();
      expect(await node.resume()).toEqual({ observed: true, detail: "node-0 answers again" });
      expect(await node.replicationRole()).toBe("master");
    });

    test.each([90_000, -90_000])("tells the time that its clock was stepped to, by %d ms", async (byMs) => {
      const aheadMs = async (clock: string): Promise<number> =>
        Number(await ask(node, `extract(epoch FROM ${clock}) * 1000`)) - Date.now();
      const { observed, detail } = await node.jumpClock(byMs);
      expect(observed).toBe(true);
      expect(detail).toMatch(/^the clock of node-0 was -?\d{1,2} ms off, then -?(?:89|90),\d{3} ms$/);
      for (const clock of ["clock_timestamp()", "now()"]) {
        expect(Math.abs((await aheadMs(clock)) - byMs)).toBeLessThan(3_000);
      }
    });

    test("renewed is as new: running, empty, with a right clock and without clients", async () => {
      await node.command("CREATE TABLE t ()");
      await node.command("CREATE SEQUENCE s");
      await node.jumpClock(60_000);
      await node.renew();
      expect(await ask(node, TABLES)).toBe("0");
      expect(await ask(node, "to_regclass('s')::text")).toBeNull();
      expect(await node.jumpClock(0)).toMatchObject({ detail: expect.stringMatching(/was -?\d{1,2} ms off/) });
      expect(await ask(node, backends)).toBe("1");
    });

    test("renewed without having been hurt goes on, and only its clients' things are gone", async () => {
      const started = await ask(node, "pg_postmaster_start_time()::text");
      await node.command("CREATE TABLE t ()");
      await node.renew();
      expect(await ask(node, TABLES)).toBe("0");
      expect(await ask(node, "pg_postmaster_start_time()::text")).toBe(started);
    });

    test("is cut off and reached again by its clients' links", async () => {
      const [link] = (await servers().link(["tester"])).values();
      expect(await link?.hold("upstream")).toEqual({
        observed: true,
        detail: "tester->node-0: no answer to SSLRequest in 60 ms",
      });
      expect(await link?.heal("upstream")).toMatchObject({ observed: true });
      expect(await link?.delay("downstream", 100)).toMatchObject({ observed: true });
      expect(await link?.heal("downstream")).toMatchObject({ observed: true });
      expect(await link?.reset()).toMatchObject({ observed: true });
    });
  });

  describe("that syncs before each reply", () => {
    const servers = useServers({ kind: "postgres", persistence: "always" });

    test("has all that was committed after its power was gone", async () => {
      const node = nodeOf(servers(), "node-0");
      await node.command("CREATE TABLE kept AS SELECT 42 AS answer");
      expect(await node.losePower?.()).toMatchObject({ observed: true });
      await node.start({ keepData: true });
      expect(await ask(node, "(SELECT answer FROM kept)")).toBe(42);
    });
  });

  describe("that is kept from run to run", () => {
    let logFolder: string;
    beforeEach(() => {
      logFolder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
    });
    afterEach(() => rmSync(logFolder, { recursive: true }));

    test("is the same server for each, without what the last one left, and not for another topology", async () => {
      await using pool = new ContainerPool();
      const containers: string[] = [];
      for (const persistence of ["none", "none", "always"] as const) {
        const plan = idlePlan({ kind: "postgres", persistence }, "sql-version");
        await using system = await pool.start(plan, { logFolder });
        const node = nodeOf(system, "node-0");
        containers.push(node.containerId);
        const [client] = system.clients;
        const acquired = await client?.perform({ op: "acquire", key: "k", ttlMs: 60_000, waitMs: 0 });
        expect(acquired).toMatchObject({ ok: true, fence: 1 });
      }
      expect(new Set(containers).size).toBe(2);
      expect(containers[0]).toBe(containers[1]);
      expect(readFileSync(join(logFolder, "node-0.log"), "utf8")).toContain("ready to accept connections");
    });

    test("does not start with settings that it refuses, and says which", async () => {
      await using pool = new ContainerPool();
      const plan = idlePlan({ kind: "postgres", config: { work_memo: "1MB" } }, "sql-version");
      const failure = pool.start(plan, { logFolder });
      await expect(failure).rejects.toBeInstanceOf(UserError);
      await expect(failure).rejects.toThrow(/node-0 did not start: .*work_memo/);
    });
  });
});
