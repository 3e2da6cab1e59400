import { topologyOf } from "../../../core/topologies/registry.ts";
import { clientName } from "../../../core/topology.ts";
import type { RenewedLease } from "../../../core/system.ts";
import type { ConformityCheck } from "../conformity.ts";
import { isGranted, roundedMs, type Trial } from "../trial.ts";

/** Not a whole number of seconds: a library that counts in seconds rounds it. */
const LEASE_MS = 2300;

/** Of each direction of each link. */
const LATENCY_MS = 40;
/** Redis counts in whole milliseconds. */
const ROUNDING_MS = 2;
/** By so much a request is late: shorter than the time-outs of clients. */
const LATE_MS = 500;
/** Well before the end of a lease that begins when its request arrives, and after that of one that begins when it is sent. */
const EARLY_MS = 200;
const OTHER_KEY = "k2";

/** A holder may trust its lease for no longer than the servers keep it. */
export const validity: ConformityCheck = {
  name: "validity",
  asks: "a grant, an extension and a renewal are valid for no longer than the servers keep the lock",
  withoutLeases: "nothing",
  async run(trial) {
    const { system } = trial;
    const client = clientName(0);
    const renewed = firstRenewal(trial);
    for (const node of await trial.masters()) {
      await system.network.delay({ from: client, to: node }, LATENCY_MS);
      await system.network.delay({ from: node, to: client }, LATENCY_MS);
    }
    const invokedMs = trial.nowMs;
    const grant = await trial.granted(0, { ttlMs: LEASE_MS });
    if (grant.validForMs === undefined) await compareWhole(trial, invokedMs);
    else await compare(trial, "grant", grant);
    const { reply } = await trial.extend(0, grant, LEASE_MS);
    if (isGranted(reply)) await compare(trial, "extension", reply);
    const renewal = await Promise.race([renewed, trial.sleep(LEASE_MS)]);
    if (renewal !== undefined) await compare(trial, "renewal", renewal);
    if (grant.validForMs === undefined) await beginsAtServers(trial);
  },
};

function firstRenewal(trial: Trial): Promise<RenewedLease> {
  return new Promise((resolve) => trial.client(0).onRenewed(resolve));
}

/** A grant that says nothing is taken for one of the whole TTL, from its invocation on. */
async function compareWhole(trial: Trial, invokedMs: number): Promise<void> {
  trial.remark("grants have no validForMs: leases count from the invocation, for the whole ttlMs");
  const keptMs = await keptByServers(trial);
  const tooShortMs = invokedMs + LEASE_MS - (trial.nowMs + keptMs);
  if (keptMs === 0 || tooShortMs <= ROUNDING_MS) return;
  trial.mistake(
    `the servers keep the lock for ${roundedMs(tooShortMs)} less than the ${roundedMs(LEASE_MS)} it was asked for: if the library counts in whole seconds, round up; if it has a lease of its own, state it (validForMs)`,
  );
}

/**
 * A lease that the client computes before it asks begins when the request is sent. A driver that says nothing of it has promised
 * one from the grant on.
 */
async function beginsAtServers(trial: Trial): Promise<void> {
  const { network } = trial.system;
  const edges = (await trial.masters()).map((to) => ({ from: clientName(0), to }));
  // Scripts are loaded, and the key is known to the library: what is late is the request for the lock.
  const { reply: first } = await trial.acquire(0, { ttlMs: LEASE_MS, key: OTHER_KEY });
  if (!isGranted(first)) return;
  await trial.release(0, first, OTHER_KEY);
  for (const edge of edges) await network.cut(edge);
  const asked = trial.acquire(0, { ttlMs: LEASE_MS, key: OTHER_KEY });
  await trial.sleep(LATE_MS);
  const endsMs = trial.nowMs + LEASE_MS;
  for (const edge of edges) await network.heal(edge);
  const { reply } = await asked;
  if (!isGranted(reply) || reply.validForMs !== undefined) return;
  // It renews nothing.
  await trial.client(0).pause();
  await trial.sleep(Math.max(0, endsMs - EARLY_MS - trial.nowMs));
  const { reply: next } = await trial.acquire(1, { ttlMs: LEASE_MS, key: OTHER_KEY });
  const earlyMs = endsMs - trial.nowMs;
  if (!isGranted(next) || earlyMs <= ROUNDING_MS) return;
  trial.mistake(
    `the lease of a grant whose request was ${roundedMs(LATE_MS)} under way ended ${roundedMs(earlyMs)} before its time from the grant on: if the library computes the end of the lease before it asks, state validForMs and validFromMs, the moment before that`,
  );
}

/** What was promised just now, and what the servers keep now. */
async function compare(
  trial: Trial,
  what: "grant" | "extension" | "renewal",
  { grantedAt, validForMs }: { readonly grantedAt?: number; readonly validForMs?: number },
): Promise<void> {
  if (validForMs === undefined || grantedAt === undefined) return;
  const keptMs = await keptByServers(trial);
  if (keptMs === 0) return trial.skip("the servers have no key with an expiry to compare with");
  const tooLongMs = grantedAt / 1e6 + validForMs - (trial.nowMs + keptMs);
  if (tooLongMs <= ROUNDING_MS) return;
  trial.mistake(
    `the ${what} is valid for ${roundedMs(tooLongMs)} longer than the servers keep the lock: validity is that of the lease which was really applied (validForMs), and counts from before the command was sent (validFromMs)`,
  );
}

/** For how long the servers keep the lock from now on: as many of them as it needs. 0 if no key has an expiry. */
async function keptByServers(trial: Trial): Promise<number> {
  const left = [...(await trial.expiries())].sort((a, b) => b - a);
  const independent = topologyOf(trial.system.topology.kind).arrangement === "independent";
  const needed = independent ? Math.floor(left.length / 2) + 1 : 1;
  return left[needed - 1] ?? 0;
}
