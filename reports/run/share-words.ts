import { printable } from "../../harness/core/printable.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import { type Interval, touches } from "../../harness/history/interval.ts";
import type { OperationSpan } from "../../harness/history/operation-spans.ts";
import { meaningOf, type Property, type Violation } from "../../harness/core/verdict.ts";
import { CAUSE_MEANING, count } from "../wording.ts";
import type { RunRecord } from "./run-record.ts";
import { holdsOf, type Story } from "./story.ts";
import { timelineOf, type Timeline } from "./timeline.ts";

/** The keys of read-write locks: their holders read or write. */
export function keysWithModes({ operations }: Pick<Timeline, "operations">): ReadonlySet<string> {
  const modal = operations.filter(({ f, invocation }) => f === "acquire" && modeOf(invocation) !== undefined);
  return new Set(modal.map(({ key }) => key));
}

function modeOf({ value }: OperationSpan["invocation"]): unknown {
  return value !== undefined && "mode" in value ? value.mode : undefined;
}

/** What of the key a client is granted: all of it, permits, or a way to share it. */
export function grantWords(
  { key, share, wasReader }: Pick<HoldSpan, "key" | "share" | "wasReader">,
  modal: ReadonlySet<string>,
): string {
  const name = printable(key);
  if (share.kind === "counted") return `${share.permits} of ${count(share.limit, "permit")} of ${name}`;
  if (share.kind === "shared" || wasReader) return `${name} as a reader`;
  return modal.has(key) ? `${name} as a writer` : name;
}

/**
 * The same on the bar of a hold: `reader`, `writer`, `reader, writer`, `2 permits`; undefined where a holder has the
 * key alone.
 */
function shareLabel(
  { key, share, wasReader }: Pick<HoldSpan, "key" | "share" | "wasReader">,
  modal: ReadonlySet<string>,
): string | undefined {
  if (share.kind === "counted") return count(share.permits, "permit");
  if (share.kind === "shared") return "reader";
  if (wasReader) return "reader, writer";
  return modal.has(key) ? "writer" : undefined;
}

/**
 * What stands on the bar of a hold in a picture of these lanes: how it shares its key, and where the holds have several keys, which
 * it has. Keys that were granted together have one bar.
 */
export function barLabels(
  timeline: Timeline,
  { lanes, window }: { readonly lanes: readonly string[]; readonly window: Interval },
): (hold: HoldSpan) => string | undefined {
  const modal = keysWithModes(timeline);
  const drawn = timeline.holds.filter((hold) => lanes.includes(hold.actor) && touches(hold, window));
  if (new Set(drawn.map(({ key }) => key)).size < 2) return (hold) => shareLabel(hold, modal);
  return (hold) => {
    const together = drawn.filter(({ actor, from }) => actor === hold.actor && from === hold.from);
    const keys = [...new Set(together.map(({ key }) => printable(key)))].join(", ");
    const share = shareLabel(hold, modal);
    return share === undefined ? keys : `${keys}, ${share}`;
  };
}

/**
 * What led to a violation, in a few words: a lock that several may hold is not granted "twice", but to too many; and one that
 * was seen in the store need not have been refused.
 */
export function causeWords({ violation: { cause, overlap }, holds }: Pick<Story, "violation" | "holds">): string {
  if (cause === "never-freed" && overlap === undefined) return "the lock's key has no expiry, or one that is too long";
  if (cause !== "double-grant") return CAUSE_MEANING[cause];
  if (holds.some(({ share }) => share.kind === "counted")) return "more permits were granted than there are";
  if (holds.some(({ share }) => share.kind === "shared")) return "the lock was granted to a writer and to a reader";
  return holds.length === 0 ? CAUSE_MEANING[cause] : "the lock was granted twice";
}

/** The same for every violation of a run, also where no story of it is told. */
export function causeWordsIn({ history }: Pick<RunRecord, "history">): (violation: Violation) => string {
  const timeline = timelineOf(history);
  return (violation) => causeWords({ violation, holds: holdsOf(violation, timeline) });
}

const OF_SEMAPHORES: Readonly<Partial<Record<Property, string>>> = {
  "mutual-exclusion": "no more permits are held at a time than there are",
  "lease-exclusion": "the leases in force at a time have no more permits than there are",
};
const OF_READ_WRITE_LOCKS: Readonly<Partial<Record<Property, string>>> = {
  "mutual-exclusion": "while a writer holds the lock, no other client does",
  "lease-exclusion": "while a writer's lease is in force, no other lease is",
};

/** What a property asks of locks that several clients may hold, for the glossary; undefined where it asks the same of all. */
export function meaningOfShared(property: Property): string | undefined {
  const [semaphore, readWrite] = [OF_SEMAPHORES[property], OF_READ_WRITE_LOCKS[property]];
  if (semaphore === undefined || readWrite === undefined) return undefined;
  return `Of a semaphore it asks that ${semaphore}; of a read-write lock, that ${readWrite}.`;
}

/** What each property asks of the lock of a run: several clients may hold a semaphore, or read, at a time. */
export function meaningIn({ history, plan }: Pick<RunRecord, "history" | "plan">): (property: Property) => string {
  const asked = [
    ...(plan?.clients ?? []).flatMap(({ sections }) => sections),
    ...history.events.flatMap((event) => (event.type === "invoke" && event.f === "acquire" ? [event.value] : [])),
  ];
  // A lock of several kinds is none of them.
  const meanings = asked.every(({ limit }) => limit !== undefined)
    ? OF_SEMAPHORES
    : asked.every(({ mode }) => mode !== undefined)
      ? OF_READ_WRITE_LOCKS
      : {};
  return (property) => (asked.length === 0 ? undefined : meanings[property]) ?? meaningOf(property);
}
