import { messageOf } from "../core/errors.ts";
import type { Alteration } from "../client/altered-driver.ts";
import type { Fault } from "../core/fault.ts";
import type { History } from "../history/history.ts";
import type { Plan } from "../core/plan.ts";
import type { Change, TimedFault, Verdict } from "../core/verdict.ts";

/** A run that was judged. */
export interface JudgedRun {
  readonly plan: Plan;
  readonly history: History;
  readonly verdict: Verdict;
}

/** A run to make: a plan, with one more fault that plans may name, and perhaps an altered client. */
export interface ChangedRun {
  readonly plan: Plan;
  /** Replaces a fault that is left out, so that triggers that wait for it still fire. */
  readonly standIn: Fault;
  readonly alteration?: Alteration;
}

/** Runs it in simulation and judges it by all checkers. */
export type ExecuteChanged = (run: ChangedRun) => Promise<JudgedRun & { readonly traceHash: string }>;

/** The kind of the fault that does nothing. It never gets into a history that is judged. */
const STAND_IN = "left-out";

const standIn: Fault = {
  kind: STAND_IN,
  traits: { duration: "lasting" },
  summary: "does nothing; triggers that wait for the fault it replaces still fire",
  arbitrary: () => undefined,
  read: () => () =>
    Promise.resolve({
      targets: [],
      outcome: "installed",
      evidence: "left out",
      heal: () => Promise.resolve({ outcome: "installed", evidence: "left out" }),
    }),
};

/** The same plan with one change; undefined if the change has no effect. */
export function changed(plan: Plan, change: Change): ChangedRun | undefined {
  switch (change.kind) {
    case "without-faults":
      return { plan: withoutFaults(plan, change.steps), standIn };
    case "without-operation": {
      const { client, f, ordinal, timed = [] } = change;
      return { plan: withTimed(plan, timed), standIn, alteration: { kind: "leave-out", client, f, ordinal } };
    }
    case "with-probe":
      return { plan, standIn, alteration: { kind: "probe", client: change.client, ordinal: change.ordinal } };
    case "with-remedy":
      return withRemedy(plan, change.remedy);
  }
}

function withoutFaults(plan: Plan, steps: readonly number[]): Plan {
  const faults = plan.faults.map((step, position) =>
    steps.includes(position) ? { ...step, kind: STAND_IN, params: {} } : step,
  );
  return { ...plan, faults };
}

function withTimed(plan: Plan, timed: readonly TimedFault[]): Plan {
  const faults = plan.faults.map((step, position) => {
    const at = timed.find((fault) => fault.step === position);
    if (at === undefined) return step;
    const { atMs, untilMs } = at;
    return { ...step, at: { atMs }, until: untilMs === undefined ? step.until : { atMs: untilMs } };
  });
  return { ...plan, faults };
}

function withRemedy(plan: Plan, remedy: Extract<Change, { kind: "with-remedy" }>["remedy"]): ChangedRun | undefined {
  switch (remedy) {
    case "elapsed-check":
    case "local-timer":
      return { plan, standIn, alteration: { kind: remedy } };
    case "fencing-resource":
      if (plan.resource.fencing) return undefined;
      return { plan: { ...plan, resource: { ...plan.resource, fencing: true } }, standIn };
    case "fsync":
      if (plan.topology.persistence === "always") return undefined;
      return { plan: { ...plan, topology: { ...plan.topology, persistence: "always" } }, standIn };
  }
}

/** A history without the faults that did nothing. */
export function withoutStandIns(history: History): History {
  return { ...history, events: history.events.filter(({ f }) => f !== STAND_IN) };
}

/** A run that could not be finished: it proves nothing, and earlier results stay. */
export function unjudged({ plan, history, verdict }: JudgedRun, error: unknown): JudgedRun {
  const reasons = [`the run could not be completed: ${messageOf(error)}`];
  return { plan, history: { ...history, events: [] }, verdict: { ...verdict, properties: {}, reasons } };
}
