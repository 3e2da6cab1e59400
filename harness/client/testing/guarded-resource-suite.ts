import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Address } from "../../core/lock-driver.ts";
import { AUDIT_STREAM, auditEntry } from "../../core/audit-log.ts";
import type { AuditEntry, ClientReply, ClientRequest } from "../../core/system.ts";
import { GuardedResource } from "../guarded-resource.ts";

type Write = Extract<ClientRequest, { op: "write" }>;

const write = (owner: string, fence: number | undefined, rest: Partial<Write> = {}): Write => ({
  op: "write",
  key: "k1",
  owner,
  data: `${owner}-data`,
  ...(fence === undefined ? {} : { fence }),
  ...rest,
});

/** What the guarded resource promises, tested on the real server that `start` returns. */
export function testGuardedResource(start: () => Promise<AsyncDisposable & { readonly address: Address }>): void {
  let server: Awaited<ReturnType<typeof start>>;
  let redis: Redis;

  beforeAll(async () => {
    server = await start();
    redis = new Redis({ ...server.address, protocol: 2 });
  });

  afterAll(async () => {
    redis.disconnect();
    await server[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    await redis.flushall();
  });

  const connect = (fencing = true, versions = false): Promise<GuardedResource> =>
    GuardedResource.connect(server.address, { checks: { fencing, versions }, timeoutMs: 2_000 });

  /** Every write so far, in the order in which it was judged. */
  async function audit(): Promise<readonly AuditEntry[]> {
    return (await redis.xrange(AUDIT_STREAM, "-", "+")).map(([, fields]) => auditEntry(fields));
  }

  async function writeAll(resource: GuardedResource, writes: readonly Write[]): Promise<readonly ClientReply[]> {
    const replies: ClientReply[] = [];
    for (const one of writes) replies.push(await resource.write(one));
    return replies;
  }

  const stale = (fence: number, largest: number): ClientReply => ({
    ok: false,
    kind: "refused",
    reason: `fencing token ${fence} is stale: ${largest} was accepted before`,
  });

  test("counts accepted writes, which a read sees", async () => {
    await using resource = await connect();
    expect(await resource.read("k1")).toEqual({ ok: true, position: 0 });
    const replies = await writeAll(resource, [write("a", 1), write("a", 1), write("b", 2)]);
    expect(replies).toEqual([1, 2, 3].map((position) => ({ ok: true, position })));
    expect(await resource.read("k1")).toEqual({ ok: true, position: 3 });
    expect(await resource.read("k2")).toEqual({ ok: true, position: 0 });
  });

  test("refuses a fencing token lower than the largest, and goes on with those that are not", async () => {
    await using resource = await connect();
    const replies = await writeAll(resource, [
      write("b", 9),
      write("a", 8),
      write("b", 9),
      write("c", 10),
      write("b", 9),
    ]);
    expect(replies).toEqual([
      { ok: true, position: 1 },
      stale(8, 9),
      { ok: true, position: 2 },
      { ok: true, position: 3 },
      stale(9, 10),
    ]);
  });

  test("compares fencing tokens as numbers", async () => {
    await using resource = await connect();
    const replies = await writeAll(resource, [write("a", 9), write("b", 10), write("c", 2)]);
    expect(replies).toEqual([{ ok: true, position: 1 }, { ok: true, position: 2 }, stale(2, 10)]);
  });

  test("refuses the largest fencing token from another owner", async () => {
    await using resource = await connect();
    expect(await writeAll(resource, [write("a", 5), write("b", 5), write("a", 5)])).toEqual([
      { ok: true, position: 1 },
      stale(5, 5),
      { ok: true, position: 2 },
    ]);
  });

  test("checking versions, refuses a write that is not based on the last one", async () => {
    await using resource = await connect(false, true);
    const replies = await writeAll(resource, [
      write("a", undefined, { basedOn: 0 }),
      write("b", undefined, { basedOn: 1 }),
      write("a", undefined, { basedOn: 1 }),
      write("a", undefined),
    ]);
    expect(replies).toEqual([
      { ok: true, position: 1 },
      { ok: true, position: 2 },
      { ok: false, kind: "refused", reason: "it is based on position 1, but position 2 was written since" },
      { ok: true, position: 3 },
    ]);
  });

  test("takes a write without a fencing token: there is nothing to judge", async () => {
    await using resource = await connect();
    expect(await writeAll(resource, [write("a", 5), write("b", undefined), write("a", 5), write("c", 4)])).toEqual([
      { ok: true, position: 1 },
      { ok: true, position: 2 },
      { ok: true, position: 3 },
      stale(4, 5),
    ]);
  });

  test("with fencing off takes everything, and forgets no larger token", async () => {
    await using open = await connect(false);
    const writes = [write("a", 5), write("b", 5), write("b", 4)];
    expect(await writeAll(open, writes)).toEqual([1, 2, 3].map((position) => ({ ok: true, position })));
    await using guarded = await connect();
    expect(await guarded.write(write("c", 4))).toEqual(stale(4, 5));
  });

  test("guards each key by itself", async () => {
    await using resource = await connect();
    const replies = await writeAll(resource, [write("a", 5), write("b", 1, { key: "k2" })]);
    expect(replies).toEqual([
      { ok: true, position: 1 },
      { ok: true, position: 1 },
    ]);
  });

  test("audits every write in the order in which it was judged, with all that its author said", async () => {
    await using one = await connect();
    await using other = await connect();
    await one.write(write("a", 5, { basedOn: 0 }));
    await other.write(write("b", 4, { data: "" }));
    await other.write(write("c", undefined, { key: "k2", data: "line\nbreak" }));
    await one.write(write("a", 5, { basedOn: 1 }));
    expect(await audit()).toEqual([
      { key: "k1", position: 1, owner: "a", fence: 5, data: "a-data", accepted: true, basedOn: 0 },
      { key: "k1", position: 1, owner: "b", fence: 4, data: "", accepted: false },
      { key: "k2", position: 1, owner: "c", data: "line\nbreak", accepted: true },
      { key: "k1", position: 2, owner: "a", fence: 5, data: "a-data", accepted: true, basedOn: 1 },
    ]);
  });

  test("of many writers at once, each position is one's own, in the order of the audit", async () => {
    const resources = await Promise.all(Array.from({ length: 4 }, () => connect(false)));
    const replies = await Promise.all(
      resources.flatMap((resource, index) =>
        Array.from({ length: 25 }, (_, count) => resource.write(write(`w${index}`, undefined, { data: `${count}` }))),
      ),
    );
    const positions = replies.map((reply) => (reply.ok ? (reply.position ?? 0) : 0)).toSorted((a, b) => a - b);
    const all = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(positions).toEqual(all);
    expect((await audit()).map(({ position }) => position)).toEqual(all);
    await Promise.all(resources.map((resource) => resource[Symbol.asyncDispose]()));
  });
}
