import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AUDIT_STREAM } from "../../core/audit-log.ts";
import type { AuditEntry } from "../../core/system.ts";
import { RESOURCE } from "../../core/topology.ts";
import { AuditReader } from "./audit-reader.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { connectTo, useServers } from "../testing/servers.ts";

/** The script that clients run for a write. */
const script = readFileSync(new URL("../../client/guarded-write.lua", import.meta.url), "utf8");

describeWithEngine("the log of the guarded resource", () => {
  const servers = useServers({ kind: "single" });
  let redis: Redis;
  let reader: AuditReader;
  let entries: AuditEntry[];

  beforeEach(async () => {
    await servers().renew();
    redis = await connectTo(servers().address(RESOURCE));
    reader = new AuditReader(servers().address(RESOURCE), AUDIT_STREAM);
    entries = [];
    reader.onAudit((entry) => entries.push(entry));
  });

  afterEach(async () => {
    await reader[Symbol.asyncDispose]();
    redis.disconnect();
  });

  const write = (owner: string, fence: number, data: string): Promise<unknown> =>
    redis.eval(script, 2, "state", AUDIT_STREAM, "k", owner, fence, data, "", "1");

  test("is read in the order in which writes were judged, refused ones too", async () => {
    await write("a", 1, "first");
    await write("b", 2, "second");
    await write("a", 1, "late");
    await reader.drain();
    expect(entries).toEqual([
      { key: "k", position: 1, owner: "a", fence: 1, data: "first", accepted: true },
      { key: "k", position: 2, owner: "b", fence: 2, data: "second", accepted: true },
      { key: "k", position: 2, owner: "a", fence: 1, data: "late", accepted: false },
    ]);
  });

  test("is complete when it is drained, however many writes there were", async () => {
    await Promise.all(Array.from({ length: 500 }, (_, index) => write("a", 1, `w${index}`)));
    await reader.drain();
    expect(entries.map(({ position }) => position)).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
    await reader.drain();
    expect(entries).toHaveLength(500);
  });

  test("comes without being asked for", async () => {
    await write("a", 1, "first");
    await expect.poll(() => entries).toHaveLength(1);
  });

  test("that is empty is drained at once", async () => {
    await reader.drain();
    expect(entries).toEqual([]);
  });

  test("goes on where it was when the connection broke", async () => {
    await write("a", 1, "before");
    await reader.drain();
    // All but the one that asks: the reader's.
    expect(await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")).toBeGreaterThan(1);
    await write("a", 1, "after");
    await reader.drain();
    expect(entries.map(({ data }) => data)).toEqual(["before", "after"]);
  });

  test("that a listener cannot take is not passed over in silence", async () => {
    reader.onAudit(() => {
      throw new Error("no space left on device");
    });
    await write("a", 1, "first");
    await expect(reader.drain()).rejects.toThrow("no space left on device");
  });
});
