import { clientName } from "../../core/topology.ts";
import { type GrantedReply, isGranted, roundedMs, type Trial } from "./trial.ts";

/** By so much one request is late: shorter than the time-outs of clients. */
const LATE_MS = 500;
/** Well before the end of a lease that begins when its request arrives, and after that of one that begins when it is sent. */
const EARLY_MS = 200;
/** An acquire of more requests than this is tried with the first of them alone. */
const MOST_REQUESTS = 6;
const KEY = "k2";

/** What is measured of the lock. */
interface Measured {
  readonly ttlMs: number;
  /** Until a request of client-0 arrives, and until its reply does: the same on each link. */
  readonly hopMs: number;
  /** Redis counts in whole milliseconds. */
  readonly roundingMs: number;
}

/**
 * A lease that the client computes before it asks begins when the request is sent. A driver that says nothing of it has promised
 * one from the grant on. Each request of an acquire is late in turn. The lease is then over too early if that request took the lock,
 * with a lease from its sending on, or if one before did, and then the lock was held before that request was sent.
 */
export async function beginsAtServers(trial: Trial, measured: Measured): Promise<void> {
  // Scripts are loaded, and the key is known to the library: what is late is a request of the acquire.
  if (!(await givenBack(trial, await acquired(trial, measured), measured))) return;
  const askedMs = trial.nowMs;
  const grant = await acquired(trial, measured);
  const requests = (trial.nowMs - askedMs) / (2 * measured.hopMs);
  if (!(await givenBack(trial, grant, measured))) return;
  const isInTurn = Math.abs(requests - Math.round(requests)) < 0.1 && requests <= MOST_REQUESTS;
  for (let late = 0; late <= (isInTurn ? Math.round(requests) : 1); late++) {
    const earlyMs = await overEarly(trial, late, measured);
    if (earlyMs === undefined) return;
    // A lease that is over early though nothing was late is shorter than it was asked for, whoever counts it.
    if (late === 0 && earlyMs > measured.roundingMs) return;
    if (earlyMs <= measured.roundingMs) continue;
    if (late > 1 && (await isTakenBefore(trial, late, measured))) return;
    trial.mistake(
      `the lease of a grant whose request was ${roundedMs(LATE_MS)} under way ended ${roundedMs(earlyMs)} before its time from the grant on: if the library computes the end of the lease before it asks, state validForMs and validFromMs, the moment before that`,
    );
    return;
  }
}

/**
 * How long before its time a lease was over whose client had this request late, or none (0); 0 if it was not.
 * @returns undefined where that cannot be tried
 */
async function overEarly(trial: Trial, late: number, measured: Measured): Promise<number | undefined> {
  const { ttlMs } = measured;
  const { reply, endsMs } = await granted(trial, late, measured);
  if (!isGranted(reply) || reply.validForMs !== undefined) return undefined;
  // It renews nothing.
  await trial.client(0).pause();
  await trial.sleep(Math.max(0, endsMs - EARLY_MS - trial.nowMs));
  const { reply: next } = await trial.acquire(1, { ttlMs, key: KEY });
  const earlyMs = isGranted(next) ? endsMs - trial.nowMs : 0;
  await trial.client(0).resume();
  if (isGranted(next)) await trial.release(1, next, KEY);
  return (await givenBack(trial, reply, measured)) ? Math.max(0, earlyMs) : undefined;
}

/** What an acquire answers one of whose requests was late, or none (0), and when a lease ends that began when that one was sent off at last. */
async function granted(trial: Trial, late: number, measured: Measured) {
  const { ttlMs } = measured;
  if (late === 0) return { endsMs: trial.nowMs + ttlMs, ...(await trial.acquire(0, { ttlMs, key: KEY })) };
  const asked = await whenSent(trial, late, measured, () => trial.sleep(LATE_MS));
  const endsMs = trial.nowMs + ttlMs;
  await healed(trial, measured);
  return { endsMs, ...(await asked.answer) };
}

/** Whether the lock is held when the requests before this one have arrived. Where nobody knows, it is taken for held. */
async function isTakenBefore(trial: Trial, request: number, measured: Measured): Promise<boolean> {
  let isTaken = true;
  const asked = await whenSent(trial, request, measured, async () => {
    const { reply } = await trial.acquire(1, { ttlMs: measured.ttlMs, key: KEY });
    isTaken = !isGranted(reply);
  });
  await healed(trial, measured);
  await asked.answer;
  return isTaken;
}

/** Has client-0 acquire, and does something while a request of that acquire, counted from 1, is held back. */
async function whenSent(trial: Trial, request: number, { ttlMs, hopMs }: Measured, what: () => Promise<void>) {
  const { network } = trial.system;
  const hold = async (): Promise<void> => {
    for (const to of await trial.masters()) await network.cut({ from: clientName(0), to });
  };
  if (request === 1) await hold();
  const answer = trial.acquire(0, { ttlMs, key: KEY });
  if (request > 1) {
    // The one before has arrived, and its reply has not.
    await trial.sleep((2 * (request - 1) - 0.5) * hopMs);
    await hold();
  }
  await what();
  return { answer };
}

/** Lets through what was held back, and has what comes then be under way for as long as before. */
async function healed(trial: Trial, { hopMs }: Measured): Promise<void> {
  const { network } = trial.system;
  for (const to of await trial.masters()) {
    await network.heal({ from: clientName(0), to });
    await network.delay({ from: clientName(0), to }, hopMs);
  }
}

async function acquired(trial: Trial, { ttlMs }: Measured): Promise<GrantedReply | undefined> {
  const { reply } = await trial.acquire(0, { ttlMs, key: KEY });
  return isGranted(reply) ? reply : undefined;
}

/** Gives the lock of client-0 back; false without one. A release that says nothing may free it when its lease is over. */
async function givenBack(trial: Trial, grant: GrantedReply | undefined, { ttlMs }: Measured): Promise<boolean> {
  if (grant === undefined) return false;
  const { reply } = await trial.release(0, grant, KEY);
  if (!reply.ok) await trial.sleep(ttlMs);
  return true;
}
