// @module-tag long
import { describe, expect, test } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { useServers } from "../../harness/containers/testing/servers.ts";
import { sqlForUpdate } from "./sql-for-update.ts";
import { acquire, CONTENDED, granted, SqlClients, until, valueOf } from "./testing/sql-clients.ts";

const HOLDERS = "application_name = 'lockstorm-lock' AND state = 'idle in transaction'";

describeWithEngine("a hold that is a transaction", () => {
  const servers = useServers({ kind: "postgres" });

  test("is ended by the server when its client is silent, who is told, and knows that it is over", async () => {
    await using clients = await SqlClients.connect(servers(), sqlForUpdate);
    const { a, b, lost } = clients;
    const held = await granted(a, { ttlMs: 300 });
    await granted(b, { waitMs: 20_000 });
    await until(() => lost.length > 0);
    expect(lost).toEqual([held.owner]);
    expect(await a.extend?.(held, 300)).toMatchObject({ type: "fail" });
    expect(valueOf(await a.release(held))).toEqual({ released: false });
  });

  test("is told of nothing when it was released, even if its session ends", async () => {
    await using clients = await SqlClients.connect(servers(), sqlForUpdate);
    const { a, b, lost, link } = clients;
    await a.release(await granted(a));
    await link.reset();
    await until(async () => (await acquire(a)).type === "ok");
    expect(lost).toEqual([]);
    expect(await acquire(b)).toMatchObject(CONTENDED);
  });

  test("goes with its connection; its client is told, and nobody knows when the server saw it", async () => {
    await using clients = await SqlClients.connect(servers(), sqlForUpdate);
    const { a, b, lost, link } = clients;
    const held = await granted(a);
    await link.reset();
    await until(() => lost.length > 0);
    expect(lost).toEqual([held.owner]);
    expect(await a.release(held)).toMatchObject({ type: "info" });
    expect(await acquire(b, { waitMs: 20_000 })).toMatchObject({ type: "ok" });
  });

  test("that is rolled back does not give its fencing token to the next", async () => {
    await using clients = await SqlClients.connect(servers(), sqlForUpdate);
    const { a, b } = clients;
    const held = await granted(a);
    await clients.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${HOLDERS}`);
    const next = await granted(b, { waitMs: 20_000 });
    expect(next.fence).toBeGreaterThan(held.fence ?? Infinity);
  });

  test("gets its fencing token after the wait, not before", async () => {
    await using clients = await SqlClients.connect(servers(), sqlForUpdate);
    const { a, b } = clients;
    const held = await granted(a);
    const waiting = granted(b, { waitMs: 20_000 });
    await until(async () => (await clients.waiting()) === 1);
    // Another client mints meanwhile.
    const [minted] = await clients.query("SELECT nextval('lockstorm_fences') AS fence");
    await a.release(held);
    expect((await waiting).fence).toBeGreaterThan(Number(minted?.["fence"]));
  });

  test("that nobody waits for any more is not had by who gave up", async () => {
    await using clients = await SqlClients.connect(servers(), sqlForUpdate);
    const { a, b } = clients;
    const held = await granted(a, { ttlMs: 60_000 });
    const controller = new AbortController();
    const waiting = acquire(b, { ttlMs: 60_000, waitMs: 20_000, signal: controller.signal });
    await until(async () => (await clients.waiting()) === 1);
    controller.abort();
    expect(await waiting).toMatchObject({ type: "info" });
    await a.release(held);
    expect(await acquire(a, { waitMs: 20_000 })).toMatchObject({ type: "ok" });
  });

  test("is had by who waits the moment it is free, without asking again", async () => {
    await using clients = await SqlClients.connect(servers(), sqlForUpdate);
    const { a, b } = clients;
    const held = await granted(a);
    const waiting = granted(b, { waitMs: 20_000 });
    await until(async () => (await clients.waiting()) === 1);
    const statements = async () => {
      const [row] = await clients.query(
        "SELECT query FROM pg_stat_activity WHERE application_name = 'lockstorm-lock' AND wait_event_type = 'Lock'",
      );
      return row?.["query"];
    };
    expect(await statements()).toContain("FOR UPDATE");
    await a.release(held);
    await waiting;
  });

  test("does not end with the clock: a step is no silence", async () => {
    await using clients = await SqlClients.connect(servers(), sqlForUpdate);
    const { a, b, node, lost } = clients;
    const held = await granted(a, { ttlMs: 60_000 });
    expect(await node.jumpClock(3_600_000)).toMatchObject({ observed: true });
    expect(await acquire(b, { waitMs: 300 })).toMatchObject(CONTENDED);
    expect(await a.extend?.(held, 60_000)).toMatchObject({ type: "ok" });
    expect(valueOf(await a.release(held))).toEqual({ released: true });
    expect(lost).toEqual([]);
  });

  test("goes with its server, and the next is had with a larger fencing token", async () => {
    await using clients = await SqlClients.connect(servers(), sqlForUpdate);
    const { a, b, node, lost } = clients;
    const held = await granted(a, { ttlMs: 60_000 });
    await node.kill();
    await until(() => lost.length > 0);
    await node.start({ keepData: true });
    const next = await granted(b, { waitMs: 20_000 });
    expect(next.fence).toBeGreaterThan(held.fence ?? Infinity);
  });
});

describeWithEngine("a hold on a server that writes its log a little later", () => {
  const servers = useServers({ kind: "postgres", persistence: "everysec" });

  describe("that crashes at once", () => {
    test("has a fencing token that is not given again", async () => {
      await using clients = await SqlClients.connect(servers(), sqlForUpdate);
      const { a, node } = clients;
      // Its session may have created the sequence a moment ago: that must not be lost.
      await clients.query("SET synchronous_commit = on");
      await clients.query("CREATE TABLE kept ()");
      let last = 0;
      for (let round = 0; round < 3; round += 1) {
        const { fence = Infinity } = await granted(a);
        await node.kill();
        await node.start({ keepData: true });
        expect(fence).toBeGreaterThan(last);
        last = fence;
      }
    });
  });
});
