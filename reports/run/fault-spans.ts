import type { FaultTraits } from "../../harness/core/fault-traits.ts";
import { FaultTimeline, type RecordedFault } from "../../harness/history/fault-timeline.ts";
import type { FaultEvent, HistoryEvent } from "../../harness/history/history.ts";

/** A fault from its injection to its healing; `from === to` for an instant fault. */
export interface FaultSpan {
  readonly kind: string;
  readonly traits: FaultTraits;
  readonly targets: readonly string[];
  /** Names of the lanes that it affects: `client-0`, `node-1`, `resource`, from its targets. */
  readonly lanes: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly outcome: FaultEvent["value"]["outcome"];
  /** By how much it set clocks, in milliseconds; negative for back. */
  readonly byMs: number | undefined;
  readonly evidence: string | undefined;
  readonly healEvidence: string | undefined;
  /** Indices of its events. */
  readonly started: number;
  readonly healed: number | undefined;
}

/** The faults of a history in the order of their starts. `end`: the time of its last event. */
export function collectFaults(events: readonly HistoryEvent[], end: number): readonly FaultSpan[] {
  return FaultTimeline.of(events).faults.map((fault) => spanOf(fault, end));
}

function spanOf({ kind, traits, event, healed }: RecordedFault, end: number): FaultSpan {
  const { targets, outcome, evidence, byMs } = event.value;
  const lasts = traits.duration === "lasting" && outcome !== "skipped";
  return {
    kind,
    traits,
    targets,
    lanes: lanesOf(targets),
    from: event.time,
    to: healed?.time ?? (lasts ? end : event.time),
    outcome,
    byMs,
    evidence,
    healEvidence: healed?.value.evidence,
    started: event.index,
    healed: healed?.index,
  };
}

/** The names within targets such as `node-1` or `client-0 -> node-2`, each once. */
function lanesOf(targets: readonly string[]): readonly string[] {
  const names = targets.flatMap((target) => target.match(/\b(?:client|node|sentinel)-\d+\b|\bresource\b/g) ?? []);
  return [...new Set(names)];
}

/** Whether a replica was observed to become master. */
export function isPromotion({ traits }: FaultSpan): boolean {
  return traits.promotes === "seen";
}
