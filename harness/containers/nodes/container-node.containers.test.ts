import { beforeEach, describe, expect, test } from "vitest";
import type { ContainerNode } from "./container-node.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { connectTo, nodeOf, useServers } from "../testing/servers.ts";

describeWithEngine("a node", () => {
  describe("that keeps nothing on disk", () => {
    const servers = useServers({ kind: "single", persistence: "none" });
    let node: ContainerNode;

    beforeEach(async () => {
      await servers().renew();
      node = nodeOf(servers(), "node-0");
    });

    test("has lost its keys after it was killed and started", async () => {
      await node.command("SET", "k", "v");
      expect(await node.kill()).toEqual({ observed: true, detail: "node-0 ended with exit code 137" });
      expect([await node.state(), node.expectedState]).toEqual(["dead", "dead"]);
      await expect(node.command("GET", "k")).rejects.toThrow("node-0 did not execute GET");
      expect(await node.start({ keepData: true })).toEqual({
        observed: true,
        detail: "node-0 started with what its disk kept, 0 keys",
      });
      expect([await node.state(), node.expectedState]).toEqual(["running", "running"]);
      expect(await node.command("GET", "k")).toBeNull();
    });

    test("that is paused answers nobody, and goes on with all it had when it is resumed", async () => {
      await using redis = await connectTo(servers().address("node-0"));
      await redis.set("k", "v");
      expect(await node.pause()).toEqual({ observed: true, detail: "node-0 is paused" });
      expect([await node.state(), node.expectedState]).toEqual(["paused", "paused"]);
      let answer: string | null | undefined;
      const asked = redis.get("k").then((value) => (answer = value));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(answer).toBeUndefined();
      expect(await node.resume()).toEqual({ observed: true, detail: "node-0 answers again" });
      expect(await asked).toBe("v");
    });

    test("whose clock steps forward past a lease has forgotten the key at once", async () => {
      await node.command("SET", "k", "v", "PX", "10000");
      const { observed, detail } = await node.jumpClock(11_000);
      expect(observed).toBe(true);
      expect(detail).toMatch(/^the clock of node-0 was -?\d{1,2} ms off, then 1[01],\d{3} ms$/);
      expect(await node.command("PTTL", "k")).toBe(-2);
    });

    test("whose clock steps back keeps a key for longer", async () => {
      await node.command("SET", "k", "v", "PX", "10000");
      expect(await node.jumpClock(-30_000)).toMatchObject({ observed: true });
      const left = Number(await node.command("PTTL", "k"));
      expect(left).toBeGreaterThan(35_000);
      expect(left).toBeLessThanOrEqual(40_000);
    });

    test("says what could not be done in the state it was in", async () => {
      const dead = { observed: false, detail: expect.stringContaining("is dead and cannot be") };
      await node.kill();
      expect(await node.kill()).toEqual({ observed: true, detail: "node-0 was already dead" });
      expect(await node.pause()).toEqual(dead);
      expect(await node.resume()).toEqual(dead);
      expect(await node.jumpClock(500)).toEqual({
        observed: false,
        detail: "node-0 is dead: its clock could not be read",
      });
      await node.start({ keepData: true });
      expect(await node.start({ keepData: true })).toEqual({
        observed: true,
        detail: "node-0 was not dead, but running",
      });
      expect(await node.start({ keepData: false })).toMatchObject({ observed: false });
      expect(await node.resume()).toMatchObject({ observed: true });
      // The step that was made while it was dead takes effect now: 500 there and 500 here.
      expect(await node.jumpClock(500)).toMatchObject({ detail: expect.stringMatching(/was (?:49|50)\d ms off/) });

      await node.pause();
      expect(await node.pause()).toEqual({ observed: true, detail: "node-0 is paused" });
      expect(await node.jumpClock(500)).toMatchObject({ observed: false });
      expect(await node.replicationRole()).toBeUndefined();
      expect(await node.kill()).toMatchObject({ observed: true });
    });

    test("takes what faults do to it in the same moment one after the other", async () => {
      const evidence = await Promise.all([
        node.pause(),
        node.kill(),
        node.start({ keepData: false }),
        node.kill(),
        node.resume(),
        node.start({ keepData: true }),
      ]);
      expect(evidence.map(({ observed }) => observed)).toEqual([true, true, true, true, false, true]);
      expect(await node.state()).toBe("running");
    });

    test("is reached by its clients as soon as it is back, although they tried while it was dead", async () => {
      const [link] = (await servers().link(["tester"])).values();
      if (link === undefined) throw new Error("no link");
      await node.kill();
      await expect(connectTo(link.address)).rejects.toThrow("Connection is closed.");
      await node.start({ keepData: true });
      const begun = performance.now();
      await using redis = await connectTo(link.address);
      expect(await redis.ping()).toBe("PONG");
      // A connection attempt to an address without an answer is repeated after a second.
      expect(performance.now() - begun).toBeLessThan(500);
    });

    test("renewed is as new: running, empty, with a right clock, without clients, scripts and rules", async () => {
      await using redis = await connectTo(servers().address("node-0"));
      await redis.set("k", "v");
      const script = String(await node.command("SCRIPT", "LOAD", "return 1"));
      await node.jumpClock(-60_000);
      await node.dropPackets("INPUT", "192.0.2.1");
      await node.pause();
      await node.renew();
      expect(await node.command("DBSIZE")).toBe(0);
      expect(await node.command("SCRIPT", "EXISTS", script)).toEqual([0]);
      expect(await node.jumpClock(0)).toMatchObject({ detail: expect.stringMatching(/was -?\d{1,2} ms off/) });
      expect(await node.droppedPackets("INPUT", "192.0.2.1")).toBe(0);
      expect(await node.runInside("! iptables -S INPUT | grep -q 192.0.2.1")).toBe(true);
      await expect(redis.ping()).rejects.toThrow();
      // A death that the harness itself caused, and no other.
      await expect.poll(() => node.isExpectedDeath()).toBe(true);
    });

    test("renewed without having been hurt goes on, and only its clients' things are gone", async () => {
      await using redis = await connectTo(servers().address("node-0"));
      const [, before] = /run_id:(\w+)/.exec(await redis.info("server")) ?? [];
      await redis.set("k", "v");
      await node.renew();
      expect(await node.command("EXISTS", "k")).toBe(0);
      await expect(redis.ping()).rejects.toThrow();
      expect(String(await node.command("INFO", "server"))).toContain(`run_id:${before}`);
    });
  });

  describe("that syncs its append-only file each second", () => {
    const servers = useServers({ kind: "single", persistence: "everysec" });

    test("cannot lose its power, because nobody knows what it has synced", () => {
      expect(nodeOf(servers(), "node-0").losePower).toBeUndefined();
    });
  });

  describe("that syncs its append-only file always", () => {
    const servers = useServers({ kind: "single", persistence: "always" });

    test("has its keys after it was killed and started, unless it lost its disk", async () => {
      const node = nodeOf(servers(), "node-0");
      await node.command("SET", "k", "v");
      await node.kill();
      expect(await node.start({ keepData: true })).toMatchObject({ detail: expect.stringContaining("kept, 1 keys") });
      expect(await node.command("GET", "k")).toBe("v");
      expect(await node.losePower?.()).toMatchObject({ observed: true });
      expect(await node.state()).toBe("dead");
      await node.start({ keepData: true });
      expect(await node.command("GET", "k")).toBe("v");
      await node.kill();
      expect(await node.start({ keepData: false })).toEqual({
        observed: true,
        detail: "node-0 started empty, 0 keys",
      });
      expect(await node.command("GET", "k")).toBeNull();
    });
  });
});
