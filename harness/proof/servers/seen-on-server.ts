import { ROUNDED_NS } from "../../check/causes/rounded-leases.ts";
import { timeWords } from "../../check/words.ts";
import type { KeyState, WireRecord } from "../../core/messages/wire-record.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import type { Hypothesis, Violation } from "../../core/verdict.ts";
import type { JudgedRun } from "../changed-run.ts";
import { shareOf } from "../../core/sharing.ts";
import { type History, NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { GrantEvents } from "../../history/operations.ts";
import { clientNumber } from "../same-in-another-run.ts";
import { grantsIn } from "../victims.ts";

/** A stay of an owner's value under a key: from its last setting until it would expire, in nanoseconds. */
interface Stay {
  readonly setNs: number;
  readonly expiresNs: number;
  /** Whether it was set before, too: then its lease is not that of the grant. */
  readonly again: boolean;
}

/**
 * The hypothesis with what the one server of the run did when the lock's promises to two owners overlapped. A history leaves open
 * whether the lock granted the key twice, or promised a lease for longer than the server kept it. Undefined where the record does not
 * show which: for several servers, for readers and permits, for owner values that only the driver knows, or if the server's clock was stepped meanwhile.
 *
 * @param proven the hypothesis that is proven: it is another matter unless that says that the lock granted the key twice
 * @param wire what the server held in the same run
 */
export function seenOnServer(
  original: JudgedRun,
  violation: Violation,
  proven: Hypothesis,
  wire: WireRecord | undefined,
): Hypothesis | undefined {
  const { history, plan } = original;
  const { orElse, ...alone } = proven;
  const isOfTheLock = proven.cause === "double-grant" || proven.cause === "rounded-lease";
  if (!isOfTheLock || proven.ground.on !== "rest") return undefined;
  // What else is shown with nothing left open is another account of it.
  if (proven.shown !== undefined && orElse === undefined) return undefined;
  if (
    wire === undefined ||
    wire.leftOut > 0 ||
    topologyOf(plan.topology.kind).arrangement !== "one-server" ||
    isShared(history)
  )
    return undefined;
  const [first, second] = grantsIn(violation, history);
  if (first === undefined || second === undefined || first.value.owner === second.value.owner) return undefined;
  for (const states of Map.groupBy(wire.keys, ({ server, key }) => JSON.stringify([server, key])).values()) {
    const place = states.findIndex(({ value }) => value?.includes(second.value.owner));
    const state = states[place];
    const stay = state === undefined ? undefined : stayBefore(states.slice(0, place + 1), first.value.owner);
    if (state === undefined || stay === undefined || !state.key.includes(second.key)) continue;
    if (state.value?.includes(first.value.owner) === true) continue;
    const holder = `client-${clientNumber(first, history)}`;
    const other = `client-${clientNumber(second, history)}`;
    const given = `gave the key to ${other}`;
    const promise = promiseOf(first, history);
    // A lock that notes the end of a lease in its value keeps the key for longer.
    if (proven.cause === "rounded-lease" && stay.expiresNs - promise.endNs > ROUNDED_NS) continue;
    if (stay.expiresNs > state.atNs) {
      const shown = `at ${timeWords(state.atNs)} ${state.server} ${given}, though it had it for ${holder}${untilWords(stay)}`;
      const why = proven.shown === undefined ? alone.why : "the lock itself granted it twice";
      return { ...alone, cause: "double-grant", shown, why };
    }
    const ended = `${state.server} began it at ${timeWords(stay.setNs)} and ended it at ${timeWords(stay.expiresNs)}`;
    const isRounded = !stay.again && promise.fromNs <= stay.setNs && promise.endNs - stay.expiresNs < ROUNDED_NS;
    if (isRounded && proven.cause === "rounded-lease") {
      const shown = `${ended}, but the lock had promised it until ${timeWords(promise.endNs)}, and ${given} at ${timeWords(state.atNs)}`;
      return { ...alone, shown };
    }
    return {
      ...alone,
      cause: "double-grant",
      why: `${tooLong(stay, holder, promise)}: ${ended}, and ${given} only at ${timeWords(state.atNs)}`,
    };
  }
  return undefined;
}

/** Whether several clients may hold a lock at once: then another owner value beside the first tells nothing. */
export function isShared({ events }: History): boolean {
  return events.some(
    (event) => event.type === "invoke" && event.f === "acquire" && shareOf(event.value).kind !== "exclusive",
  );
}

/** The last stay of the owner's value before the last state, if nothing but its expiry or that state itself ended it. */
function stayBefore(states: readonly KeyState[], owner: string): Stay | undefined {
  const last = states.length - 1;
  const index = states.findLastIndex(({ value }) => value?.includes(owner));
  const [state, next] = [states[index], states[index + 1]];
  if (state === undefined || next === undefined) return undefined;
  if (states.slice(index).some(({ clockAheadNs }) => clockAheadNs !== state.clockAheadNs)) return undefined;
  const setNs = state.atNs;
  const expiresNs = state.expiresInNs === undefined ? Infinity : setNs + state.expiresInNs;
  const again = states.findIndex(({ value }) => value?.includes(owner)) < index;
  return index + 1 === last || next.atNs >= expiresNs ? { setNs, expiresNs, again } : undefined;
}

/** The lease of a grant as its holder was told, in nanoseconds since the start of the run; without a validity, as it asked. */
interface PromisedLease {
  readonly fromNs: number;
  readonly endNs: number;
}

function promiseOf(
  { index, process, time, key, value }: GrantEvents["completion"],
  { events }: History,
): PromisedLease {
  const asked = events.findLast(
    (event) => event.index < index && event.process === process && event.type === "invoke" && event.f === "acquire",
  );
  const { validForMs, grantedAt = time } = value;
  if (validForMs === undefined && asked?.type === "invoke" && asked.f === "acquire" && asked.key === key) {
    return { fromNs: asked.time, endNs: asked.time + asked.value.ttlMs * NANOSECONDS_PER_MS };
  }
  const fromNs = Math.min(grantedAt, time);
  return { fromNs, endNs: fromNs + (validForMs ?? Infinity) * NANOSECONDS_PER_MS };
}

/** A lease that lasted on the server for as long as it was promised ended too soon only for who counts it from later. */
function tooLong({ setNs, expiresNs, again }: Stay, holder: string, { fromNs, endNs }: PromisedLease): string {
  return !again && fromNs > setNs && endNs - fromNs - ROUNDED_NS <= expiresNs - setNs
    ? `the lock counted the lease of ${holder} from too late an instant`
    : `the lock promised ${holder} its lease for longer than the server kept it`;
}

function untilWords({ expiresNs }: Stay): string {
  return expiresNs === Infinity ? "" : ` until ${timeWords(expiresNs)}`;
}
