import { count } from "../wording.ts";
import type { Control } from "../../harness/history/control.ts";
import type { History } from "../../harness/history/history.ts";
import type { Plan } from "../../harness/core/plan.ts";
import type { Recurrence } from "../../harness/core/recurrence.ts";
import type { WireRecord } from "../../harness/core/messages/wire-record.ts";
import type { Verdict } from "../../harness/core/verdict.ts";
import type { Summary } from "../campaign/summary.ts";
import { recurrenceWords } from "./recurrence-words.ts";

/** What a run is expected to show, and who says so. */
export interface About {
  readonly summary: string;
  /** The source's claim, in one sentence. */
  readonly says: string;
  readonly source: { readonly name: string; readonly link: string };
}

/** One run as every report takes it: the plan, the history, the verdict. */
export interface RunRecord {
  /** Absent where the history comes from elsewhere. */
  readonly plan?: Plan;
  readonly history: History;
  readonly verdict: Verdict;
  /** The whole command that runs the plan again: `npx lockstorm replay ...`. */
  readonly replayCommand?: string;
  /** The number of events, where the history is too long to be kept and drawn; `history.events` is then empty. */
  readonly omittedEvents?: number | undefined;
  /** The run's title: a scenario's slug, a file name. */
  readonly title?: string | undefined;
  /** For a counterexample: how often its violation came again. */
  readonly recurrence?: Recurrence | undefined;
  /** What went over the wire and what servers held, where it was recorded. */
  readonly wire?: WireRecord | undefined;
  /** The same schedule without what caused the violation. */
  readonly control?: Control | undefined;
  /** For a scenario of the catalogue. */
  readonly about?: About;
}

/** One run or several, as the reports for files take them; a campaign adds its table of locks by faults. */
export interface Report {
  readonly title?: string;
  readonly runs: readonly RunRecord[];
  readonly summary?: Summary;
}

/** The name of a run: its title, or else its lock. */
export function titleOf(run: RunRecord): string {
  return run.title ?? run.plan?.lock ?? run.history.header.lock ?? "a recorded history";
}

/**
 * The conditions of a run on one line: lock, topology, seed, clients, events, and how often the violation came again.
 * Unknown ones are left out.
 */
export function conditionsOf(run: RunRecord): readonly string[] {
  const { header, events } = run.history;
  const topology = run.plan?.topology.kind ?? header["topology"];
  const seed = run.plan?.seed ?? header.seed;
  const lock = run.plan?.lock ?? header.lock;
  const clients = run.plan?.clients.length ?? header.clients;
  const again = recurrenceWords(run.recurrence);
  return [
    ...(lock === undefined ? [] : [`lock ${lock}`]),
    ...(typeof topology === "string" ? [`topology ${topology}`] : []),
    ...(typeof header["backend"] === "string" ? [`backend ${header["backend"]}`] : []),
    ...(typeof header["pace"] === "number" ? [`pace ${header["pace"]}x`] : []),
    ...(seed === undefined ? [] : [`seed ${seed}`]),
    ...(clients === undefined ? [] : [count(clients, "client")]),
    count(run.omittedEvents ?? events.length, "event"),
    ...(again === undefined ? [] : [again]),
  ];
}
