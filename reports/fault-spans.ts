import type { FaultEvent, HistoryEvent } from "../harness/core/history.ts";

/** A fault from its injection to its healing; `from === to` for one that is over as soon as it happened. */
export interface FaultSpan {
  readonly kind: string;
  readonly targets: readonly string[];
  /** Names of the lanes it concerns: `client-0`, `node-1`, `resource`, from its targets. */
  readonly lanes: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly outcome: FaultEvent["value"]["outcome"];
  readonly evidence?: string;
  readonly healEvidence?: string;
  /** Indices of its events. */
  readonly started: number;
  readonly healed?: number;
}

/** Faults without a healing that yet last until the end of the run. */
const LASTING = new Set([
  "partition",
  "latency",
  "stall",
  "pause-client",
  "pause-node",
  "kill-client",
  "kill-node",
  "clock-rate",
]);

/** Pairs the starts and heals of a history's faults, in the order of their starts. */
export function collectFaults(events: readonly HistoryEvent[], end: number): readonly FaultSpan[] {
  const spans: FaultSpan[] = [];
  const open = new Map<string, number[]>();
  for (const event of events) {
    if (event.type !== "fault") continue;
    const id = JSON.stringify([event.f, event.value.targets]);
    if (event.value.phase === "start") {
      if (event.value.outcome !== "skipped") open.set(id, [...(open.get(id) ?? []), spans.length]);
      spans.push(startOf(event, end));
      continue;
    }
    const place = open.get(id)?.pop();
    const span = place === undefined ? undefined : spans[place];
    if (place === undefined || span === undefined) continue;
    const healEvidence = event.value.evidence;
    spans[place] = {
      ...span,
      to: event.time,
      healed: event.index,
      ...(healEvidence === undefined ? {} : { healEvidence }),
    };
  }
  return spans;
}

function startOf(event: FaultEvent, end: number): FaultSpan {
  const { targets, outcome, evidence } = event.value;
  return {
    kind: event.f,
    targets,
    lanes: lanesOf(targets),
    from: event.time,
    to: LASTING.has(event.f) && outcome !== "skipped" ? end : event.time,
    outcome,
    ...(evidence === undefined ? {} : { evidence }),
    started: event.index,
  };
}

/** The names within targets such as `node-1` or `client-0 -> node-2`, each once. */
function lanesOf(targets: readonly string[]): readonly string[] {
  const names = targets.flatMap((target) => target.match(/\b(?:client|node|sentinel)-\d+\b|\bresource\b/g) ?? []);
  return [...new Set(names)];
}
