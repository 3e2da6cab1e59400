import type { Change, CounterfactualRun, Hypothesis } from "../core/verdict.ts";
import type { Subject } from "./broken-promise.ts";
import { changed, type ExecuteChanged, type JudgedRun, unjudged } from "./changed-run.ts";
import { compare, type Comparison } from "./comparison.ts";

/**
 * How many counterfactual runs one verdict may take. Violations that accuse the same fault or operation share their
 * runs.
 */
export const MOST_RUNS = 40;

/** A counterfactual run and the outcome of a violation in it. */
export interface Tried {
  readonly run: CounterfactualRun;
  readonly comparison: Comparison;
  /** Faults of the plan that had no effect in the original run, took effect without those left out, and were left out too. */
  readonly woken: readonly number[];
}

/** The counterfactual runs of one run: each change is made once. */
export class CounterfactualRuns {
  readonly #original: JudgedRun;
  readonly #execute: ExecuteChanged;
  /** Runs by their change, as text. */
  readonly #known = new Map<string, JudgedRun & { readonly traceHash?: string }>();

  constructor(original: JudgedRun, execute: ExecuteChanged) {
    this.#original = original;
    this.#execute = execute;
  }

  /** Undefined if there were too many runs. */
  async compare(subject: Subject, change: Change, accused?: Hypothesis): Promise<Tried | undefined> {
    const run = await this.of(change);
    if (run === undefined) return undefined;
    const comparison = compare(this.#original, subject.property, subject.violation, run, accused);
    const woken = change.kind === "without-faults" ? wokenFaults(this.#original, run) : [];
    if (change.kind !== "without-faults" || comparison.outcome === "gone" || woken.length === 0) {
      return { run: shown(change, run), comparison, woken: [] };
    }
    const steps = [...change.steps, ...woken].toSorted((left, right) => left - right);
    const tried = await this.compare(subject, { kind: "without-faults", steps }, accused);
    return tried === undefined ? undefined : { ...tried, woken: [...woken, ...tried.woken] };
  }

  /** The run with this change: the original run if it changes nothing, undefined if there were too many runs. */
  async of(change: Change): Promise<(JudgedRun & { readonly traceHash?: string }) | undefined> {
    const text = JSON.stringify(change);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const toRun = changed(this.#original.plan, change);
    if (toRun === undefined) return this.#original;
    if (this.#known.size >= MOST_RUNS) return undefined;
    const run = await this.#execute(toRun).catch((error: unknown) => unjudged(this.#original, error));
    this.#known.set(text, run);
    return run;
  }
}

/** A counterfactual run as a proof names it. */
export function shown(change: Change, { traceHash }: { readonly traceHash?: string }): CounterfactualRun {
  return traceHash === undefined ? { change } : { change, traceHash };
}

/**
 * Positions in the plan of the faults that were skipped in the original run and took effect in the other, for example because
 * there they found a server alive. What they do there says nothing about the original run.
 */
function wokenFaults(original: JudgedRun, other: JudgedRun): readonly number[] {
  const [before, after] = [original, other].map(({ history }) => installedSteps(history));
  const skipped = original.history.events.flatMap((event) =>
    event.type === "fault" && event.value.phase === "start" && event.value.outcome === "skipped"
      ? [event.value.step]
      : [],
  );
  return [...new Set(skipped)].filter(
    (step) => step !== undefined && !before!.has(step) && after!.has(step),
  ) as number[];
}

function installedSteps({ events }: JudgedRun["history"]): ReadonlySet<number> {
  return new Set(
    events.flatMap((event) =>
      event.type === "fault" && event.value.step !== undefined && event.value.outcome === "installed"
        ? [event.value.step]
        : [],
    ),
  );
}
