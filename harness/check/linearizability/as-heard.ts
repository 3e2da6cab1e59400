import type { HistoryStep } from "../evidence/history-step.ts";
import type { RenewedEvent } from "../../history/history.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { type InvocationEvent, isReleaseAgain } from "../../history/operations.ts";
import type { LockCompletion } from "./open-operation.ts";
import { PERHAPS_BEFORE } from "../../history/unordered.ts";
import { extensionAsHeard } from "../../history/holds/unheard-extension.ts";

/**
 * What an answer proves. A client library may resend a release after its connection broke, and then hear that there was
 * nothing to release. The server may have applied the first release or not. Where several clients use one owner value,
 * a release that found nothing shows only that its own client held nothing, and the models do not tell clients apart.
 * Where a hold may have several owner values, one of them may refer to nothing: it may go on under another, which its client is
 * granted later.
 * Where the lock may have drawn a new owner value that nobody was told, a release with the old one finds nothing either.
 * An extension that failed may have taken effect all the same, where a fault may have kept its reply back.
 * What a lock answers to a second release is its own affair, and it may end a hold that another task of its client has under the same
 * owner value.
 * A release that was under way when the recording began may have taken effect before that, and another may have been granted
 * the lock since.
 */
export function asHeard(
  completion: LockCompletion,
  { invocation, loss }: Pick<HistoryStep, "invocation" | "loss">,
  evidence: SharedEvidence,
): LockCompletion {
  const since = invocation?.time ?? completion.time;
  if (completion.f === "extend") return extensionAsHeard(completion, since, evidence.faults);
  if (completion.f !== "release" || completion.type !== "ok") return completion;
  if (isReleaseAgain(completion, invocation)) return { ...completion, type: "info", value: {} };
  if (completion.value.released) {
    if (invocation?.f !== "release" || !mayBeFromBefore(invocation, evidence)) return completion;
    return Object.assign({ ...completion, type: "info", value: {} } as const, { [PERHAPS_BEFORE]: true });
  }
  const owner = invocation?.f === "release" ? invocation.value.owner : undefined;
  if (loss !== undefined && !evidence.isShareable(completion.key)) return { ...completion, type: "fail", value: {} };
  if (
    owner !== undefined &&
    (evidence.isSharedOwner(completion.key, owner) || evidence.repeated.hasSeveral(completion.key, owner))
  ) {
    return { ...completion, type: "fail", value: {} };
  }
  const asked = invocation?.index ?? completion.index;
  const mayHaveAnother = owner !== undefined && evidence.renamed.mayHaveAnother(completion.key, owner, asked);
  if (!mayHaveAnother && !evidence.faults.mayHaveBrokenConnections(since, completion.time)) return completion;
  return { ...completion, type: "info", value: {} };
}

/** Whether a release may have taken effect before the recording began, on a hold that it does not show. */
function mayBeFromBefore(invocation: Extract<InvocationEvent, { f: "release" }>, evidence: SharedEvidence): boolean {
  if (!evidence.mayHaveBegunBefore(invocation) || evidence.isAskingFor(invocation)) return false;
  return evidence.holds.find(invocation.key, invocation.value.owner, invocation.process) === undefined;
}

/** What is known of a lease that the lock renewed by itself. */
export interface Renewal {
  /**
   * The event after which it did so, if a known grant began that lease and its client has not given it up. If the lock did so
   * before that event, the lease may still have been the shorter of the two from that event on.
   */
  readonly since: { readonly index: number; readonly time: number } | undefined;
  /** Whether its client has an acquire under way that may have begun the lease. */
  readonly isAsking: boolean;
}

/** What the history says of the lease that the lock renewed by itself. */
export function renewalOf(
  { key, process }: RenewedEvent,
  { changes }: HistoryStep,
  { holds }: SharedEvidence,
): Renewal {
  const change = changes.find(({ kind }) => kind === "extended" || kind === "possibly-renewed");
  return { since: change?.hold.renewedSince, isAsking: holds.isAsking(key, process) };
}
