import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Completion, ExtendOptions, Grant, LockClient } from "../../../harness/core/lock-driver.ts";
import { SOUND_RENEWAL } from "./renewal.ts";
import { type LossPolicy, withWatchdog } from "./watchdog.ts";

const TTL_MS = 900;
const options = { ttlMs: TTL_MS, waitMs: 0, signal: new AbortController().signal };
const notAnswered: Completion<Grant> = { type: "info", reason: "timed out" };

/** A lock that grants everything, and answers extensions as the test says. */
class Pretended implements LockClient {
  extendAs: (grant: Grant, ttlMs: number) => Completion<Grant> = (grant, ttlMs) => ({
    type: "ok",
    value: { ...grant, validForMs: ttlMs },
  });
  readonly extendedAtMs: number[] = [];
  readonly askedAtLeast: boolean[] = [];
  /** Each reply waits for it. */
  delay = Promise.resolve();
  readonly #startedAtMs = performance.now();
  #lost: ((lost: { key: string; owner: string }) => void) | undefined;
  #grants = 0;

  async acquire(key: string, { ttlMs }: typeof options): Promise<Completion<Grant>> {
    this.#grants += 1;
    return { type: "ok", value: { key, owner: `owner-${this.#grants}`, validForMs: ttlMs } };
  }

  async extend(grant: Grant, ttlMs: number, { atLeast = false }: ExtendOptions = {}): Promise<Completion<Grant>> {
    this.extendedAtMs.push(performance.now() - this.#startedAtMs);
    this.askedAtLeast.push(atLeast);
    const completion = this.extendAs(grant, ttlMs);
    await this.delay;
    return completion;
  }

  async release(): Promise<Completion<{ released: boolean }>> {
    return { type: "ok", value: { released: true } };
  }

  onLost(listener: (lost: { key: string; owner: string }) => void): void {
    this.#lost = listener;
  }

  lose(owner: string): Completion<Grant> {
    this.#lost?.({ key: "k", owner });
    return { type: "fail", kind: "error", reason: "lost" };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

async function held(policy: LossPolicy, rules = { ...SOUND_RENEWAL, localDeadline: policy === "conservative" }) {
  const pretended = new Pretended();
  const driver = withWatchdog({ connect: async () => pretended }, policy, rules);
  const client = await driver.connect({
    client: "client-0",
    servers: { kind: "single", address: { host: "", port: 1 } },
  });
  const lost: { atMs: number; owner: string }[] = [];
  const startedAtMs = performance.now();
  client.onLost?.(({ owner }) => lost.push({ atMs: performance.now() - startedAtMs, owner }));
  const completion = await client.acquire("k", options);
  if (completion.type !== "ok") throw new Error(completion.reason);
  return { pretended, client, grant: completion.value, lost };
}

describe("renewing", () => {
  it("extends every third of the lease, for as long as it is held", async () => {
    const { pretended, client, grant, lost } = await held("conservative");
    await vi.advanceTimersByTimeAsync(1_550);
    expect(pretended.extendedAtMs).toEqual([300, 600, 900, 1_200, 1_500]);
    await client.release(grant);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(pretended.extendedAtMs).toHaveLength(5);
    expect(lost).toEqual([]);
  });

  it("tries sooner again after a renewal that failed", async () => {
    const { pretended } = await held("conservative");
    pretended.extendAs = () => notAnswered;
    await vi.advanceTimersByTimeAsync(460);
    expect(pretended.extendedAtMs).toEqual([300, 375, 450]);
  });

  it("renews to the length that was last asked for", async () => {
    const { pretended, client, grant } = await held("conservative");
    await client.extend?.(grant, 3_000);
    await vi.advanceTimersByTimeAsync(2_100);
    expect(pretended.extendedAtMs).toEqual([0, 1_000, 2_000]);
  });

  it("stops when the client is closed", async () => {
    const { pretended, client } = await held("conservative");
    await client[Symbol.asyncDispose]();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(pretended.extendedAtMs).toEqual([]);
  });
});

describe("loss", () => {
  it("conservative: told a tenth of the lease before it ends, when no renewal succeeds", async () => {
    const { pretended, lost, grant } = await held("conservative");
    pretended.extendAs = () => notAnswered;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lost).toEqual([{ atMs: TTL_MS - TTL_MS / 10, owner: grant.owner }]);
  });

  it("conservative: the deadline moves with every renewal", async () => {
    const { pretended, lost } = await held("conservative");
    await vi.advanceTimersByTimeAsync(650);
    pretended.extendAs = () => notAnswered;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lost.map(({ atMs }) => atMs)).toEqual([600 + TTL_MS - TTL_MS / 10]);
  });

  it("a renewal asks for no less than there is, an extension for exactly what it says", async () => {
    const { pretended, client, grant } = await held("conservative");
    await vi.advanceTimersByTimeAsync(350);
    await client.extend?.(grant, 2_000);
    expect(pretended.askedAtLeast).toEqual([true, false]);
  });

  it("conservative: a renewal that was under way during an extension does not bring the deadline forward", async () => {
    const { pretended, client, lost, grant } = await held("conservative");
    const reply = Promise.withResolvers<void>();
    pretended.delay = reply.promise;
    await vi.advanceTimersByTimeAsync(310);
    pretended.delay = Promise.resolve();
    await client.extend?.(grant, 5_000);
    pretended.extendAs = () => notAnswered;
    reply.resolve();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(lost.map(({ atMs }) => atMs)).toEqual([310 + 5_000 - 500]);
  });

  it("conservative: no lease is trusted for longer than an extension without an answer asked for", async () => {
    const { pretended, client, lost, grant } = await held("conservative");
    const answered = pretended.extendAs;
    pretended.extendAs = () => notAnswered;
    await client.extend?.(grant, 300);
    pretended.extendAs = answered;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(lost).toEqual([]);
    pretended.extendAs = () => notAnswered;
    const cutOffAt = pretended.extendedAtMs.at(-1) ?? 0;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lost.map(({ atMs }) => atMs)).toEqual([cutOffAt + 300 - 30]);
  });

  it("conservative: a shorter lease counts from when it was asked for, before its answer", async () => {
    const { pretended, client, lost, grant } = await held("conservative");
    const reply = Promise.withResolvers<void>();
    pretended.extendAs = () => notAnswered;
    pretended.delay = reply.promise;
    void client.extend?.(grant, 300);
    await vi.advanceTimersByTimeAsync(600);
    expect(lost).toEqual([{ atMs: 270, owner: grant.owner }]);
    reply.resolve();
  });

  it("conservative: told at once when the server says that it is gone, and once only", async () => {
    const { pretended, lost, grant } = await held("conservative");
    pretended.extendAs = ({ owner }) => pretended.lose(owner);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lost).toEqual([{ atMs: 300, owner: grant.owner }]);
    expect(pretended.extendedAtMs).toEqual([300]);
  });

  it.each(["aggressive", "check-at-unlock"] as const)("%s: carries on and is not told", async (policy) => {
    const { pretended, client, lost, grant } = await held(policy);
    pretended.extendAs = () => notAnswered;
    await vi.advanceTimersByTimeAsync(3_000);
    pretended.extendAs = ({ owner }) => pretended.lose(owner);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(lost).toEqual([]);
    expect(await client.release(grant)).toMatchObject({ type: "ok" });
  });

  it("without a local deadline: never told, as long as nobody answers", async () => {
    const { pretended, lost } = await held("conservative", { ...SOUND_RENEWAL, localDeadline: false });
    pretended.extendAs = () => notAnswered;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lost).toEqual([]);
  });
});
