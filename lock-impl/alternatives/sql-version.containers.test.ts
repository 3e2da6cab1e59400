import { expect, test } from "vitest";
import { describeWithEngine } from "../../harness/containers/testing/engine-required.ts";
import { useServers } from "../../harness/containers/testing/servers.ts";
import { sqlVersion } from "./sql-version.ts";
import { acquire, CONTENDED, granted, SqlClients, until, valueOf } from "./testing/sql-clients.ts";

describeWithEngine("a lease in a row", () => {
  const servers = useServers({ kind: "postgres" });

  test("may be claimed by a client that has given up: nobody knows, and the lease ends by itself", async () => {
    await using clients = await SqlClients.connect(servers(), sqlVersion);
    const { a, b } = clients;
    const first = await granted(a);
    await a.release(first);
    await clients.query("BEGIN");
    await clients.query("SELECT key FROM lockstorm_leases FOR UPDATE");
    expect(await acquire(a, { ttlMs: 1_000 })).toMatchObject({ type: "info" });
    await clients.query("COMMIT");
    const ghost = async () => (await clients.query("SELECT version, owner FROM lockstorm_leases"))[0];
    await until(async () => Number((await ghost())?.["version"]) === Number(first.fence) + 1);
    expect(await ghost()).toMatchObject({ owner: expect.any(String) });
    const next = await granted(b, { waitMs: 20_000 });
    expect(next.fence).toBe((first.fence ?? 0) + 2);
  });

  test.each([
    ["another has come, and gone, between", "version = version + 1, owner = 'another'"],
    ["it has come back to life, by a clock that was stepped back", "expires_at = 'infinity', owner = 'another'"],
  ])("is not claimed late when %s", async (_, change) => {
    await using clients = await SqlClients.connect(servers(), sqlVersion);
    const { a } = clients;
    await a.release(await granted(a));
    await clients.query("BEGIN");
    await clients.query(`UPDATE lockstorm_leases SET ${change}`);
    const late = acquire(a);
    await until(async () => (await clients.waiting()) === 1);
    await clients.query("COMMIT");
    expect(await late).toMatchObject(CONTENDED);
    expect(await clients.query("SELECT owner FROM lockstorm_leases")).toEqual([{ owner: "another" }]);
  });

  test("may have been claimed when the server's last word is that it ends the session", async () => {
    await using clients = await SqlClients.connect(servers(), sqlVersion);
    const { a } = clients;
    await a.release(await granted(a));
    await clients.query("BEGIN");
    await clients.query("SELECT key FROM lockstorm_leases FOR UPDATE");
    const cutShort = acquire(a);
    await until(async () => (await clients.waiting()) === 1);
    await clients.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted");
    expect(await cutShort).toMatchObject({ type: "info", reason: expect.stringContaining("administrator") });
    await clients.query("COMMIT");
  });

  test("outlasts its connection, and is released over the next", async () => {
    await using clients = await SqlClients.connect(servers(), sqlVersion);
    const { a, b, link } = clients;
    const held = await granted(a);
    await link.reset();
    expect(await acquire(b)).toMatchObject(CONTENDED);
    await until(async () => {
      const released = await a.release(held);
      expect(released.type === "ok" ? released.value.released : true).toBe(true);
      return released.type === "ok";
    });
  });

  test("outlasts a crash of its server", async () => {
    await using clients = await SqlClients.connect(servers(), sqlVersion);
    const { a, b, node } = clients;
    const held = await granted(a, { ttlMs: 60_000 });
    await node.kill();
    expect(await acquire(a)).toMatchObject({ type: expect.stringMatching(/fail|info/) });
    await node.start({ keepData: true });
    await until(async () => {
      const tried = await acquire(b);
      expect(tried.type).not.toBe("ok");
      return tried.type === "fail" && tried.kind === "contended";
    });
    await until(async () => (await a.release(held)).type === "ok");
  });

  test("ends early when the clock of its server steps forward: the known limit", async () => {
    await using clients = await SqlClients.connect(servers(), sqlVersion);
    const { a, b, node } = clients;
    const held = await granted(a, { ttlMs: 60_000 });
    expect(await node.jumpClock(61_000)).toMatchObject({ observed: true });
    expect(await acquire(b)).toMatchObject({ type: "ok" });
    expect(await a.extend?.(held, 60_000)).toMatchObject({ type: "fail" });
    expect(valueOf(await a.release(held))).toEqual({ released: false });
  });
});
