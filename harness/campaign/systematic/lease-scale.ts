import { type History, type HistoryEvent, NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import type { KeyState } from "../../core/messages/wire-record.ts";
import { RESOURCE } from "../../core/topology.ts";

/** What a run shows of how long things take in a lock. */
interface Shown {
  readonly history: History;
  readonly messages: readonly WireMessage[];
  /** What servers held under their keys, if it was kept. */
  readonly keys?: readonly KeyState[] | undefined;
}

/** After how long a lock was free: at the earliest, and at the latest. */
interface FreeAfter {
  readonly leastMs: number;
  readonly mostMs: number;
}

const NEVER_FREE: FreeAfter = { leastMs: Infinity, mostMs: Infinity };

/** A lease that is longer than asked for by less than this share is as long as asked for. */
const MUCH_LONGER = 1.05;
/** A waiting client is to ask several times within a lease. */
const ASKS_PER_LEASE = 3;
/** Longer leases make runs long, and show nothing more. */
const LONGEST_MS = 60_000;

/**
 * The lease that small workloads should ask for, in milliseconds, so that holds and faults end on either side of what the
 * lock makes of it: as long as servers held the lock's keys, where it makes leases longer, such as whole seconds or
 * always the same; and so long that a waiting client asks again within it.
 * @param freeAfter after how long the lock was free although nobody gave it back, where that is known: a key may last
 *   longer than the leases that it keeps
 */
export function leaseScaleOf(askedMs: number, shown: Shown, freeAfter: FreeAfter = NEVER_FREE): number {
  const longestMs = longestLeaseMs(shown.keys ?? []);
  const heldMs = longestMs > MUCH_LONGER * freeAfter.mostMs ? freeAfter.leastMs : longestMs;
  const leaseMs = heldMs > MUCH_LONGER * askedMs ? heldMs : askedMs;
  const waitsMs = Math.ceil((ASKS_PER_LEASE * longestPauseMs(shown)) / 1000) * 1000;
  return Math.min(LONGEST_MS, waitsMs > MUCH_LONGER * leaseMs ? waitsMs : leaseMs);
}

/** Whether servers held the lock's keys for longer than asked for, so that the lease may be longer, too. */
export function isHeldForLonger(askedMs: number, { keys = [] }: Pick<Shown, "keys">): boolean {
  return longestLeaseMs(keys) > MUCH_LONGER * askedMs;
}

/**
 * After how long the lock was free again, in a run in which its first holder does not give it back and another client waits
 * for it, which asks only now and then.
 */
export function freeAfterOf(shown: Shown): FreeAfter {
  const [first, next] = shown.history.events.filter(({ type, f }) => type === "ok" && f === "acquire");
  if (first === undefined || next === undefined) return NEVER_FREE;
  const mostMs = (next.time - first.time) / NANOSECONDS_PER_MS;
  return { leastMs: Math.round(mostMs - longestPauseMs(shown)), mostMs };
}

/** The longest time to live of keys that were given back: others, such as a counter, are no locks. */
function longestLeaseMs(keys: readonly KeyState[]): number {
  const states = [...Map.groupBy(keys, ({ server, key }) => `${server} ${key}`).values()];
  const lasting = states.flatMap((all) =>
    all.some((state, index) => index > 0 && state.value === undefined && isEarly(all[index - 1], state)) ? all : [],
  );
  const longestNs = lasting.reduce((longest, { expiresInNs = 0 }) => Math.max(longest, expiresInNs), 0);
  return Math.round(longestNs / NANOSECONDS_PER_MS);
}

/** Whether a key was gone before its time to live was over. */
function isEarly(before: KeyState | undefined, gone: KeyState): boolean {
  return before?.expiresInNs !== undefined && gone.atNs < before.atNs + before.expiresInNs;
}

/** The longest time between two equal commands of one acquire about the same keys: it waits for the lock, and asks again. */
function longestPauseMs({ history: { events }, messages }: Shown): number {
  const acquiring = messages.filter(({ operation, server, keys }) => {
    const invoked: HistoryEvent | undefined = operation === undefined ? undefined : events[operation];
    return invoked?.f === "acquire" && server !== RESOURCE && keys.length > 0;
  });
  const asked = Map.groupBy(
    acquiring,
    ({ operation, server, command, keys }) => `${operation} ${server} ${command} ${keys.join(" ")}`,
  );
  const pausesNs = [...asked.values()].flatMap((all) =>
    all.slice(1).map(({ sentNs }, index) => sentNs - (all[index]?.sentNs ?? sentNs)),
  );
  return Math.max(0, ...pausesNs) / NANOSECONDS_PER_MS;
}
