import { expect, test } from "vitest";
import { describeWithEngine } from "../../harness/containers/engine-required.ts";
import { useStage } from "../../harness/containers/testing/stage.ts";
import { driver } from "./sql-version.ts";
import { acquire, CONTENDED, granted, SqlCast, until, valueOf } from "./testing/sql-stage.ts";

describeWithEngine("a lease in a row", () => {
  const stage = useStage({ kind: "postgres" });

  test("may be claimed by a client that has given up: nobody knows, and the lease ends by itself", async () => {
    await using cast = await SqlCast.meet(stage(), driver);
    const { a, b } = cast;
    const first = await granted(a);
    await a.release(first);
    await cast.query("BEGIN");
    await cast.query("SELECT key FROM lockstorm_leases FOR UPDATE");
    expect(await acquire(a, { ttlMs: 1_000 })).toMatchObject({ type: "info" });
    await cast.query("COMMIT");
    const ghost = async () => (await cast.query("SELECT version, owner FROM lockstorm_leases"))[0];
    await until(async () => Number((await ghost())?.["version"]) === Number(first.fence) + 1);
    expect(await ghost()).toMatchObject({ owner: expect.any(String) });
    const next = await granted(b, { waitMs: 20_000 });
    expect(next.fence).toBe((first.fence ?? 0) + 2);
  });

  test.each([
    ["another has come, and gone, between", "version = version + 1, owner = 'another'"],
    ["it has come back to life, by a clock that was stepped back", "expires_at = 'infinity', owner = 'another'"],
  ])("is not claimed late when %s", async (_, change) => {
    await using cast = await SqlCast.meet(stage(), driver);
    const { a } = cast;
    await a.release(await granted(a));
    await cast.query("BEGIN");
    await cast.query(`UPDATE lockstorm_leases SET ${change}`);
    const late = acquire(a);
    await until(async () => (await cast.waiting()) === 1);
    await cast.query("COMMIT");
    expect(await late).toMatchObject(CONTENDED);
    expect(await cast.query("SELECT owner FROM lockstorm_leases")).toEqual([{ owner: "another" }]);
  });

  test("may have been claimed when the server's last word is that it ends the session", async () => {
    await using cast = await SqlCast.meet(stage(), driver);
    const { a } = cast;
    await a.release(await granted(a));
    await cast.query("BEGIN");
    await cast.query("SELECT key FROM lockstorm_leases FOR UPDATE");
    const cutShort = acquire(a);
    await until(async () => (await cast.waiting()) === 1);
    await cast.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted");
    expect(await cutShort).toMatchObject({ type: "info", reason: expect.stringContaining("administrator") });
    await cast.query("COMMIT");
  });

  test("outlasts its connection, and is released over the next", async () => {
    await using cast = await SqlCast.meet(stage(), driver);
    const { a, b, link } = cast;
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
    await using cast = await SqlCast.meet(stage(), driver);
    const { a, b, node } = cast;
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
    await using cast = await SqlCast.meet(stage(), driver);
    const { a, b, node } = cast;
    const held = await granted(a, { ttlMs: 60_000 });
    expect(await node.jumpClock(61_000)).toMatchObject({ observed: true });
    expect(await acquire(b)).toMatchObject({ type: "ok" });
    expect(await a.extend?.(held, 60_000)).toMatchObject({ type: "fail" });
    expect(valueOf(await a.release(held))).toEqual({ released: false });
  });
});
