import { printable } from "../../harness/core/printable.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import type { OperationSpan } from "../../harness/history/operation-spans.ts";
import { CAUSE_MEANING, count } from "../wording.ts";
import type { Story } from "./story.ts";
import type { Timeline } from "./timeline.ts";

/** The keys of read-write locks: their holders read or write. */
export function keysWithModes({ operations }: Pick<Timeline, "operations">): ReadonlySet<string> {
  const modal = operations.filter(({ f, invocation }) => f === "acquire" && modeOf(invocation) !== undefined);
  return new Set(modal.map(({ key }) => key));
}

function modeOf({ value }: OperationSpan["invocation"]): unknown {
  return value !== undefined && "mode" in value ? value.mode : undefined;
}

/** What of the key a client is granted: all of it, permits, or a way to share it. */
export function grantWords({ key, share }: Pick<HoldSpan, "key" | "share">, modal: ReadonlySet<string>): string {
  const name = printable(key);
  if (share.kind === "counted") return `${share.permits} of ${count(share.limit, "permit")} of ${name}`;
  if (share.kind === "shared") return `${name} as a reader`;
  return modal.has(key) ? `${name} as a writer` : name;
}

/** The same on the bar of a hold in a picture: `reader`, `writer`, `2 permits`; undefined where a holder has the key alone. */
export function shareLabel(
  { key, share }: Pick<HoldSpan, "key" | "share">,
  modal: ReadonlySet<string>,
): string | undefined {
  if (share.kind === "counted") return count(share.permits, "permit");
  if (share.kind === "shared") return "reader";
  return modal.has(key) ? "writer" : undefined;
}

/** What led to a violation, in a few words: a lock that several may hold is not granted "twice", but to too many. */
export function causeWords({ violation: { cause }, holds }: Pick<Story, "violation" | "holds">): string {
  if (cause !== "double-grant") return CAUSE_MEANING[cause];
  if (holds.some(({ share }) => share.kind === "counted")) return "more permits were granted than there are";
  if (holds.some(({ share }) => share.kind === "shared")) return "the lock was granted to a writer and to a reader";
  return CAUSE_MEANING[cause];
}
