import { topologyOf } from "../../../core/topologies/registry.ts";
import { clientName } from "../../../core/topology.ts";
import type { RenewedLease } from "../../../core/system.ts";
import { beginsAtServers } from "../computed-leases.ts";
import type { ConformityCheck } from "../conformity.ts";
import { isGranted, roundedMs, type Trial } from "../trial.ts";

/** Not a whole number of seconds: a library that counts in seconds rounds it. */
const LEASE_MS = 2300;

/** Of each direction of each link. */
const LATENCY_MS = 40;
/** Redis counts in whole milliseconds. */
const ROUNDING_MS = 2;
const STATED =
  "validity is that of the lease which was really applied (validForMs), and counts from before the command was sent (validFromMs)";

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
    if (grant.validForMs === undefined) {
      await beginsAtServers(trial, { ttlMs: LEASE_MS, hopMs: LATENCY_MS, roundingMs: ROUNDING_MS });
    }
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

/** What was promised just now, and what the servers keep now. */
async function compare(
  trial: Trial,
  what: "grant" | "extension" | "renewal",
  { grantedAt, validForMs }: { readonly grantedAt?: number; readonly validForMs?: number },
): Promise<void> {
  if (validForMs === undefined || grantedAt === undefined) return;
  const keptMs = await keptByServers(trial);
  if (keptMs === 0) {
    if (what === "grant") await tryBeforeEnd(trial, grantedAt / 1e6 + validForMs);
    return trial.skip("the servers have no key with an expiry to compare with");
  }
  const tooLongMs = grantedAt / 1e6 + validForMs - (trial.nowMs + keptMs);
  if (tooLongMs <= ROUNDING_MS) return;
  trial.mistake(`the ${what} is valid for ${roundedMs(tooLongMs)} longer than the servers keep the lock: ${STATED}`);
}

/** Where no expiry tells until when the servers keep the lock, another client asks for it just before its stated end. */
async function tryBeforeEnd(trial: Trial, endsMs: number): Promise<void> {
  // It renews nothing.
  await trial.client(0).pause();
  await trial.sleep(Math.max(0, endsMs - LATENCY_MS / 2 - trial.nowMs));
  const { reply } = await trial.acquire(1, { ttlMs: LEASE_MS });
  await trial.client(0).resume();
  const earlyMs = endsMs - trial.nowMs;
  if (!isGranted(reply) || earlyMs <= ROUNDING_MS) return;
  trial.mistake(
    `another client was granted the lock ${roundedMs(earlyMs)} before the end of the lease that the driver states: ${STATED}`,
  );
}

/** For how long the servers keep the lock from now on: as many of them as it needs. 0 if no key has an expiry. */
async function keptByServers(trial: Trial): Promise<number> {
  const left = [...(await trial.expiries())].sort((a, b) => b - a);
  const independent = topologyOf(trial.system.topology.kind).arrangement === "independent";
  const needed = independent ? Math.floor(left.length / 2) + 1 : 1;
  return left[needed - 1] ?? 0;
}
