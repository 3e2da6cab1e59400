import type { ConformityCheck } from "../conformity.ts";
import { isGrantedTwice } from "../shown-by-a-grant.ts";
import { type InForce, isGranted, roundedMs, type Trial } from "../trial.ts";

const TTL_MS = 1000;
/** A multiple of no usual delay between tries: else a retry that takes the lock for an instant could meet every look at it. */
const EVERY_MS = 37;
/** Replies, rounding to milliseconds. */
const EARLY_MS = 50;
/** Slow retries, leases that are rounded up to a second. */
const LATE_MS = 2000;
const GIVE_UP_MS = 60_000;
/** A lease so much longer than the other that one which lasts too long, or too short a time, shows. */
const LONG_MS = 4500;
const OTHER_KEY = "k2";
const UNIT_ADVICE = "give the library ttlMs in the unit that it counts in";

/**
 * The lock of a client that died is free when its lease is over: neither earlier nor much later. One without leases may be free
 * at once.
 */
export const expiry: ConformityCheck = {
  name: "expiry",
  asks: "the lock of a client that died is free after ttlMs",
  withoutLeases: {
    asks: "a lock without leases stays with its holder until it is released",
    run: staysHeld,
  },
  async run(trial) {
    if (await isGrantedTwice(trial, [2, 1], OTHER_KEY)) return;
    await outlastsShorter(trial);
    const forLonger = await keepsNoFormer(trial);
    const from = trial.nowMs;
    const grant = await trial.granted(0, { ttlMs: TTL_MS });
    // A busy machine, or a client that is slow to start, may have begun the lease as late as this.
    const grantedMs = trial.nowMs;
    // A lock whose servers count no lease may last as long as its client's connection.
    const endsWithClient = grant.validForMs === undefined && (await trial.expiries()).every((leftMs) => leftMs === 0);
    const keptMs = Math.max(...(await trial.expiries()));
    const stated = statedMs(grant);
    const scaled = scaledInWords(stated, forLonger);
    const leaseMs = Math.max(TTL_MS, stated ?? 0);
    const ownLease = `its leases are its own, of ${roundedMs(stated ?? TTL_MS)}`;
    await trial.client(0).kill();
    let askedMs = trial.nowMs;
    let heldMs = 0;
    while (!isGranted((await trial.acquire(1, { ttlMs: TTL_MS })).reply)) {
      heldMs = askedMs - grantedMs;
      if (trial.nowMs - from > GIVE_UP_MS) {
        const held = `${roundedMs(GIVE_UP_MS)} after a client with ttlMs ${TTL_MS} died, its lock is still held`;
        if (scaled !== undefined) trial.mistake(`${held}: ${scaled}`);
        else if (grant.untilMs > trial.nowMs && (await trial.isHeld())) trial.remark(`${held}: ${ownLease}`);
        else trial.mistake(`${held}${await keptInWords(trial, keptMs)}`);
        return;
      }
      await trial.sleep(EVERY_MS);
      askedMs = trial.nowMs;
    }
    const afterMs = trial.nowMs - from;
    if (afterMs < TTL_MS - EARLY_MS) {
      if (endsWithClient)
        trial.remark(`this lock has no leases: it was free ${roundedMs(afterMs)} after it was asked for`);
      else {
        const early = `with ttlMs ${TTL_MS}, another client was granted after ${roundedMs(afterMs)}`;
        if (scaled !== undefined) trial.mistake(`${early}: ${scaled}`);
        else if (stated === undefined || trial.nowMs < grant.untilMs) trial.mistake(early);
        else trial.remark(`${early}: ${ownLease}`);
      }
    }
    // What was held when the last refused try began: the answers of a busy machine may be later.
    if (heldMs <= TTL_MS + LATE_MS) return;
    const free = `with ttlMs ${TTL_MS}, the lock was free only after ${roundedMs(afterMs)}`;
    if (heldMs > leaseMs + LATE_MS) trial.mistake(free);
    else trial.remark(`${free}: ${ownLease}`);
  },
};

/** How long a lease lasts, as the driver says. */
function statedMs({ validForMs }: { readonly validForMs?: number }): number | undefined {
  return Number(validForMs) > 0 ? validForMs : undefined;
}

/**
 * What is wrong where the stated leases, of `TTL_MS` and of `LONG_MS`, grow as what was asked for without being it: a lock with a
 * lease of its own does not follow it. Undefined where they do not grow so, or nobody knows.
 */
function scaledInWords(stated: number | undefined, forLonger: number | undefined): string | undefined {
  if (stated === undefined || forLonger === undefined) return undefined;
  if (!isAbout(forLonger / stated, LONG_MS / TTL_MS) || isAbout(stated, TTL_MS)) return undefined;
  return `its lease is ${roundedMs(stated)} for ttlMs ${TTL_MS}, and ${roundedMs(forLonger)} for ttlMs ${LONG_MS}: ${UNIT_ADVICE}`;
}

function isAbout(one: number, other: number): boolean {
  return one > 0.9 * other && one < 1.1 * other;
}

/**
 * What keeps the lock of a client that died.
 * @param keptMs how long the servers kept it when it was granted; 0 without an end
 */
async function keptInWords(trial: Trial, keptMs: number): Promise<string> {
  if (keptMs > GIVE_UP_MS) return `: the servers keep it for ${roundedMs(keptMs)}: ${UNIT_ADVICE}`;
  if ((await trial.expiries()).every((leftMs) => leftMs === 0))
    return ': if its holders keep it until they release it, a driver says leases: false (a worker file: "leases": false)';
  if (keptMs === 0) return "";
  return `, though the servers kept it for ${roundedMs(keptMs)}: it was taken or renewed afterwards. Often a try that was refused or given up goes on: end it before the driver answers`;
}

/** Whoever asks with a short TTL does not end a lease that was granted with a longer one. */
async function outlastsShorter(trial: Trial): Promise<void> {
  const held = await trial.acquire(2, { ttlMs: LONG_MS, key: OTHER_KEY });
  if (!isGranted(held.reply)) return;
  await trial.sleep(2 * TTL_MS);
  const { reply } = await trial.acquire(1, { ttlMs: 0.5 * TTL_MS, key: OTHER_KEY });
  if (isGranted(reply)) {
    const asked = `${roundedMs(2 * TTL_MS)} after a client was granted the lock with ttlMs ${LONG_MS}, another one was that asked with ttlMs ${0.5 * TTL_MS}`;
    accuseWithin(trial, held, `${asked}: a lease lasts as long as its own acquire asked, or as validForMs says`);
    await trial.release(1, reply, OTHER_KEY);
  }
  await trial.release(2, held.reply, OTHER_KEY);
}

/**
 * A lease is of the length that its own acquire asked for, not of one before.
 * @returns how long the longer lease lasts, as the driver says; undefined if it says nothing, or was granted none
 */
async function keepsNoFormer(trial: Trial): Promise<number | undefined> {
  const { reply: short } = await trial.acquire(2, { ttlMs: TTL_MS, key: OTHER_KEY });
  // The release before may have said nothing, and freed nothing yet.
  if (!isGranted(short)) return undefined;
  await trial.release(2, short, OTHER_KEY);
  const long = await trial.acquire(2, { ttlMs: LONG_MS, key: OTHER_KEY });
  if (!isGranted(long.reply)) return undefined;
  await trial.sleep(3 * TTL_MS);
  // With the same TTL, lest the lock measures the lease by that of who asks.
  const { reply } = await trial.acquire(1, { ttlMs: LONG_MS, key: OTHER_KEY });
  if (isGranted(reply)) {
    const early = `after an acquire with ttlMs ${TTL_MS}, the lock was granted with ttlMs ${LONG_MS}, and ${roundedMs(3 * TTL_MS)} later to another client`;
    accuseWithin(
      trial,
      long,
      `${early}: give each acquire the lease that it asks for, or state in validForMs which it has`,
    );
    await trial.release(1, reply, OTHER_KEY);
  }
  await trial.release(2, long.reply, OTHER_KEY);
  return statedMs(long.reply);
}

/** A mistake if that lease is in force, by what the driver said of it: it may be shorter than it was asked for. */
function accuseWithin(trial: Trial, { untilMs }: InForce, what: string): void {
  if (trial.nowMs < untilMs) trial.mistake(what);
}

/** Neither time nor a client that does not run ends what a lock without leases granted. */
async function staysHeld(trial: Trial): Promise<void> {
  await trial.granted(0, { ttlMs: TTL_MS });
  await trial.client(0).pause();
  await trial.sleep(GIVE_UP_MS);
  if (!isGranted((await trial.acquire(1, { ttlMs: TTL_MS })).reply)) return;
  const other = `${roundedMs(GIVE_UP_MS)} after a client was granted the lock, another one was, without a release`;
  trial.mistake(
    `${other}: what it grants ends by itself, so take leases: false out of the driver, or of the worker file`,
  );
}
