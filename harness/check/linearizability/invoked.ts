import { ENDLESS_TTL_MS } from "../../history/holds/endless-lease.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { KeyOperations } from "./key-operations.ts";
import type { LockInvocation } from "./open-operation.ts";

/**
 * An operation on a key begins. Returns whether it refers to no known grant. An acquire of which a recording that began midway has
 * nothing may have been granted since, at the latest now: it counts as one of unknown outcome.
 */
export function invoked(
  operations: KeyOperations,
  event: LockInvocation,
  step: HistoryStep,
  evidence: SharedEvidence,
): boolean {
  const isStranger = event.f !== "acquire" && evidence.isStranger(event, step);
  if (isStranger) {
    const { index, time, process, key } = event;
    if (evidence.begunBefore.mayHaveAsked({ process, key, owner: event.value.owner })) {
      const asked = { index, time, process, key, f: "acquire" } as const;
      operations.invoke({ ...asked, type: "invoke", value: { ttlMs: ENDLESS_TTL_MS } }, false);
      operations.complete({ ...asked, type: "info", value: {} });
    }
  }
  operations.invoke(event, isStranger, evidence.isAsking(event));
  return isStranger;
}
