import { traitsOf } from "../../faults/traits.ts";
import { ownerAsStated, shortOwner } from "../history/owner-value.ts";
import type { FaultTraits } from "../core/fault-traits.ts";
import { listed } from "../core/listed.ts";
import { clientName } from "../core/topology.ts";
import { actorOf, clientOf, taskOf } from "../history/clients.ts";
import type { FaultEvent } from "../history/history.ts";
import { isEndless } from "../history/holds/endless-lease.ts";
import { NANOSECONDS_PER_MS, type HistoryHeader } from "../history/history.ts";
import type { Hold } from "../history/holds.ts";
import { MOST_JOINED, type Overlap } from "./evidence/overlaps.ts";
import { capital } from "../core/words/capital.ts";
import { inFigures } from "../core/words/in-figures.ts";

/** A time of the history, in words: `12.3 ms`. */
export function timeWords(nanoseconds: number): string {
  const value = nanoseconds / NANOSECONDS_PER_MS;
  return `${inFigures(Number(value.toFixed(Math.abs(value) < 10 ? 3 : 1)))} ms`;
}

/** A length of time in words: `12.3 ms`, or `an instant` for none. */
export function lasting(nanoseconds: number): string {
  return nanoseconds === 0 ? "an instant" : timeWords(nanoseconds);
}

/**
 * A lease by its beginning and its earliest end, in nanoseconds: `with a lease until 12 ms`, or `without a lease that ends`. The end
 * is no later than the beginning if the answer was late, or if a coarse clock leaves nothing of the lease that is certain.
 */
export function leaseInWords(from: number, until: number): string {
  if (until <= from) return "with a lease that may have been over then";
  return isEndless(until - from) ? "without a lease that ends" : `with a lease until ${timeWords(until)}`;
}

/**
 * Who acts under a process, as pictures name it too: `client-1`, or `client-1 (task 2)` where it is one of several tasks of a client.
 * Where the history does not say how many clients there are, each process is one: `client-7` is process 7.
 */
export function clientInWords(header: HistoryHeader, process: number): string {
  return actorOf(process, header);
}

/** The client behind a process, by the name that faults have for it: whichever of its tasks it was. */
export function clientNamed(header: HistoryHeader, process: number): string {
  return clientName(clientOf(process, header.clients));
}

/** `client-1 (process 6, owner 9f2c01ab…, fencing token 7)`, or `client-1 (task 2, process 6, owner ...)`; its owner value differs from that of the others named beside it. */
export function holderOf(
  header: HistoryHeader,
  hold: Pick<Hold, "process" | "owner" | "stated" | "fence"> & Partial<Pick<Hold, "share">>,
  beside: readonly Pick<Hold, "owner" | "stated">[] = [],
): string {
  const client = clientNamed(header, hold.process);
  const task = taskOf(hold.process, header);
  const facts = [
    ...(task === undefined ? [] : [`task ${task}`]),
    ...(hold.share?.kind === "shared" ? ["a reader"] : []),
    `process ${hold.process}`,
    `owner ${shortOwner(ownerAsStated(hold), undefined, beside.map(ownerAsStated))}`,
    ...(hold.fence === undefined ? [] : [`fencing token ${hold.fence}`]),
  ];
  return `${client} (${facts.join(", ")})`;
}

/**
 * Holds that are too many, with the verb: `Two clients held k1`, `A writer and a reader held k1`, `Three clients,
 * where two are allowed, held k1`.
 */
export function tooManyInWords(holds: readonly Hold[], verb: string): string {
  const [first] = holds;
  const key = first?.key ?? "";
  const kinds = holds.map(({ share }) => share.kind);
  if (kinds.includes("shared")) return `A writer and a reader ${verb} ${key}`;
  const { permits, limit } = permitsOf(holds);
  if (limit === undefined) return `Two clients ${verb} ${key}`;
  return permits === holds.length
    ? `${capital(inWords(holds.length))} clients, where ${allowed(limit)}, ${verb} ${key}`
    : `${capital(inWords(holds.length))} clients ${verb} ${permits} permits of ${key}, which has ${limit},`;
}

/** When a reader became a writer beside others, as a sentence; empty if none did. */
export function upgradeInWords(header: HistoryHeader, { upgraded, from }: Pick<Overlap, "upgraded" | "from">): string {
  return upgraded === undefined
    ? ""
    : ` ${clientInWords(header, upgraded.process)}, which held it as a reader, was granted it as a writer at ${timeWords(from)}.`;
}

/** How many of the holders that came later are named. */
const NAMED_LATER = 3;

/** Who was granted a semaphore beside too many until some time, as a sentence; empty if nobody was. */
export function joinedInWords(
  header: HistoryHeader,
  { first, second, others = [], joined = [] }: Overlap,
  until: number,
): string {
  const meanwhile = joined.filter(({ grantedTime }) => grantedTime < until);
  if (meanwhile.length === 0) return "";
  const beside = [first, second, ...others, ...joined];
  const named = meanwhile
    .slice(0, NAMED_LATER)
    .map((hold) => `${holderOf(header, hold, beside)} at ${timeWords(hold.grantedTime)}`);
  const rest = meanwhile.length - named.length;
  const atLeast = joined.length === MOST_JOINED ? "at least " : "";
  const all = rest === 0 ? named : [...named, `${atLeast}${inWords(rest)} more`];
  return ` Meanwhile it was granted as well to ${listed(all)}.`;
}

/** What was promised to too many: `k1 to two owners`, `k1 to a writer and to a reader`. */
export function promiseInWords(holds: readonly Hold[]): string {
  const key = holds[0]?.key ?? "";
  if (holds.some(({ share }) => share.kind === "shared")) return `${key} to a writer and to a reader`;
  const { permits, limit } = permitsOf(holds);
  if (limit === undefined) return `${key} to two owners`;
  return permits === holds.length
    ? `${key} to ${inWords(holds.length)} owners, where ${allowed(limit)},`
    : `${permits} permits of ${key}, which has ${limit}, to ${inWords(holds.length)} owners`;
}

/** How many permits these holds take together, and of how many; no limit unless all are of a semaphore. */
function permitsOf(holds: readonly Hold[]): { readonly permits: number; readonly limit: number | undefined } {
  const counted = holds.flatMap(({ share }) => (share.kind === "counted" ? [share] : []));
  const permits = counted.reduce((sum, share) => sum + share.permits, 0);
  if (counted.length < holds.length) return { permits, limit: undefined };
  return { permits, limit: Math.max(...counted.map(({ limit }) => limit)) };
}

function allowed(limit: number): string {
  return limit === 1 ? "one is allowed" : `${inWords(limit)} are allowed`;
}

const NUMBERS = [
  "no",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
];

function inWords(number: number): string {
  return NUMBERS[number] ?? String(number);
}

/**
 * `kill-node of node-0 at 100 ms (event 6)`, `stall between client-0 and node-0 at 100 ms (event 6)`, `the promotion of
 * node-2 at 100 ms (event 6)`
 *
 * @param self what the sentence is about already: it is not named again as the fault's only target
 */
export function faultInWords(event: FaultEvent, self?: string): string {
  return `${faultAnywhere(event, self)} at ${timeWords(event.time)} (event ${event.index})`;
}

/** The same without its place in the history. */
function faultAnywhere({ f, value }: FaultEvent, self?: string): string {
  const traits = traitsOf(f);
  const name = traits.promotes === "seen" ? `the ${f}` : f;
  const phase = value.phase === "heal" ? ", healing," : "";
  return `${name}${targetsInWords(value.targets, traits, self)}${phase}`;
}

function targetsInWords(targets: readonly string[], { messages }: FaultTraits, self: string | undefined): string {
  if (targets.length === 0 || (targets.length === 1 && targets[0] === self)) return "";
  const isOneLink = messages !== undefined && targets.length === 2;
  return ` ${isOneLink ? "between" : "of"} ${listed(targets)}`;
}

/** Why a fault makes the run prove less: it never came, or nothing was seen of its effect. Undefined if it took effect. */
export function doubtInWords(event: FaultEvent): string | undefined {
  return doubtOf(event, faultInWords(event));
}

/** The same of a fault in another run: times and events of that run would pass for those of this one. */
export function doubtElsewhere(event: FaultEvent): string | undefined {
  return doubtOf(event, `there ${faultAnywhere(event)}`);
}

function doubtOf({ value: { outcome, evidence } }: FaultEvent, fault: string): string | undefined {
  if (outcome === "installed") return undefined;
  const what = outcome === "skipped" ? "was skipped" : "was not seen to take effect";
  return `${fault} ${what}${evidence === undefined || evidence === "" ? "" : `: ${evidence}`}`;
}
