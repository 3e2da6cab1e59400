// @module-tag long
import { describe, expect, test } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { useServers } from "../../harness/containers/testing/servers.ts";
import { sqlForUpdate } from "./sql-for-update.ts";
import { sqlVersion } from "./sql-version.ts";
import { acquire, CONTENDED, granted, SqlClients, until, valueOf } from "./testing/sql-clients.ts";

/** What both locks in an SQL database must do. */
describeWithEngine("a lock in an SQL database", () => {
  const servers = useServers({ kind: "postgres" });

  describe.each([
    ["sql-version", sqlVersion],
    ["sql-for-update", sqlForUpdate],
  ] as const)("%s", (_, lock) => {
    test("is one client's until it is released; each grant has a larger fencing token", async () => {
      await using clients = await SqlClients.connect(servers(), lock);
      const { a, b } = clients;
      const first = await granted(a);
      expect(first).toMatchObject({ key: "k", owner: expect.any(String), fence: expect.any(Number) });
      expect(first.validForMs).toBeGreaterThan(0);
      expect(first.validForMs).toBeLessThanOrEqual(10_000);
      expect(await acquire(b)).toMatchObject(CONTENDED);
      expect(await acquire(a)).toMatchObject(CONTENDED);
      expect(await acquire(b, { key: "another" })).toMatchObject({ type: "ok" });
      const waiting = granted(b, { waitMs: 20_000 });
      expect(await a.release(first)).toEqual({ type: "ok", value: { released: true } });
      const second = await waiting;
      expect(second.fence).toBeGreaterThan(first.fence ?? Infinity);
      expect(second.owner).not.toBe(first.owner);
    });

    test("is released once, and by nobody who does not hold it", async () => {
      await using clients = await SqlClients.connect(servers(), lock);
      const { a, b } = clients;
      const first = await granted(a);
      expect(valueOf(await a.release(first))).toEqual({ released: true });
      expect(valueOf(await a.release(first))).toEqual({ released: false });
      await granted(b);
      expect(valueOf(await a.release(first))).toEqual({ released: false });
      expect(await acquire(a)).toMatchObject(CONTENDED);
    });

    test("waits as long as it was told, and leaves nothing behind", async () => {
      await using clients = await SqlClients.connect(servers(), lock);
      const { a, b } = clients;
      const held = await granted(a);
      const begun = performance.now();
      expect(await acquire(b, { waitMs: 150 })).toMatchObject(CONTENDED);
      expect(performance.now() - begun).toBeGreaterThanOrEqual(145);
      expect(await clients.waiting()).toBe(0);
      await a.release(held);
      await until(async () => (await clients.transactions()) === 0);
      expect(await acquire(a)).toMatchObject({ type: "ok" });
    });

    test("is had by the next when its lease is over, and not before", async () => {
      await using clients = await SqlClients.connect(servers(), lock);
      const { a, b } = clients;
      const asked = performance.now();
      const first = await granted(a, { ttlMs: 400 });
      expect(first.validForMs).toBeLessThanOrEqual(400);
      const second = await granted(b, { waitMs: 20_000 });
      expect(performance.now() - asked).toBeGreaterThanOrEqual(400);
      expect(second.fence).toBeGreaterThan(first.fence ?? Infinity);
      await until(async () => (await a.extend?.(first, 10_000))?.type === "fail");
      expect(valueOf(await a.release(first))).toEqual({ released: false });
      expect(valueOf(await b.release(second))).toEqual({ released: true });
    });

    test("that is extended lasts from then on", async () => {
      await using clients = await SqlClients.connect(servers(), lock);
      const { a, b } = clients;
      const first = await granted(a, { ttlMs: 1_000 });
      const asked = performance.now();
      const extended = valueOf(await a.extend?.(first, 2_000));
      expect(extended).toMatchObject({ owner: first.owner, fence: first.fence });
      expect(extended.validForMs).toBeLessThanOrEqual(2_000);
      await granted(b, { waitMs: 20_000 });
      expect(performance.now() - asked).toBeGreaterThanOrEqual(2_000);
    });

    test("that two want at once is one's, with a fencing token above all before", async () => {
      await using clients = await SqlClients.connect(servers(), lock);
      let last = 0;
      for (let round = 0; round < 60; round += 1) {
        const pair = [clients.a, clients.b] as const;
        const tries = await Promise.all(pair.map((client) => acquire(client)));
        const won = tries.flatMap((completion, index) =>
          completion.type === "ok" ? [{ grant: completion.value, client: pair[index] }] : [],
        );
        expect(won.length).toBeLessThanOrEqual(1);
        for (const { grant, client } of won) {
          expect(grant.fence).toBeGreaterThan(last);
          last = grant.fence ?? Infinity;
          expect(valueOf(await client?.release(grant))).toEqual({ released: true });
        }
      }
      expect(last).toBeGreaterThan(0);
    });

    test("is not had where nobody answers; nobody knows, and it comes free by itself", async () => {
      await using clients = await SqlClients.connect(servers(), lock);
      const { a, b, link } = clients;
      expect(await link.hold("downstream")).toMatchObject({ observed: true });
      expect((await acquire(a, { ttlMs: 300 })).type).not.toBe("ok");
      expect(await acquire(b, { waitMs: 20_000 })).toMatchObject({ type: "ok" });
      await link.heal("downstream");
    });

    test("cannot be released for certain when its reply is lost", async () => {
      await using clients = await SqlClients.connect(servers(), lock);
      const { a, b, link } = clients;
      const held = await granted(a, { ttlMs: 10_000 });
      await link.hold("downstream");
      expect(await a.release(held)).toMatchObject({ type: "info" });
      // It did take effect: the lease is much longer than this wait.
      expect(await acquire(b, { waitMs: 5_000 })).toMatchObject({ type: "ok" });
      await link.heal("downstream");
    });

    test("is told apart from the lock of a database that lost all, and goes on there", async () => {
      await using clients = await SqlClients.connect(servers(), lock);
      const { a, node } = clients;
      await granted(a);
      await node.kill();
      await node.start({ keepData: false });
      await until(async () => (await acquire(a)).type === "ok");
    });
  });
});
