import { clientOf } from "../history/clients.ts";
import type {
  Change,
  CounterfactualRun,
  DroppedHypothesis,
  Hypothesis,
  Property,
  Proof,
  TriedRemedy,
  Verdict,
  Violation,
} from "../core/verdict.ts";
import { explainBy } from "../check/explanation.ts";
import { listed } from "../core/listed.ts";
import type { WireRecord } from "../core/messages/wire-record.ts";
import { jointCause } from "../check/causes/joint-cause.ts";
import { type Subject, subjectOf } from "./broken-promise.ts";
import type { ExecuteChanged, JudgedRun } from "./changed-run.ts";
import { compare } from "./comparison.ts";
import { CounterfactualRuns, MOST_RUNS, shown } from "./counterfactual-runs.ts";
import { isOwnExtension, prolongsNobodys, tryExtension } from "./extended-alone.ts";
import { inOrderOfTrial } from "./order-of-trial.ts";
import { PlanSteps } from "./plan-steps.ts";
import { goneInWords, neverInWords, REMEDY } from "./proof-words.ts";
import { inTurn } from "./in-turn.ts";
import { issuesFences, refusesLateWrites } from "./late-writes.ts";
import type { Attempted } from "./attempted.ts";
import { type Grounds, toldApart } from "./told-apart.ts";
import { toldNothing } from "./told-nothing.ts";
import { acquireOfSuccessor, isKept, victimOf } from "./victims.ts";
import { withoutOperation, type WithoutOperation, withTimedFaults } from "./without-operation.ts";

/** Several faults that led to a violation together, as a cause. */
interface Joint {
  readonly hypothesis: Hypothesis;
  readonly proof: Proof;
}

/** Faults of the plan without which a violation does not happen, and whether each of them is enough for it. */
interface Smallest {
  readonly trial: Extract<Attempted, { readonly outcome: "proven" }>;
  readonly left: readonly number[];
  readonly isEachEnough: boolean;
}

/**
 * The verdict of a run with its causes proven where they can be: for each violation, the first hypothesis without whose
 * cause the violation does not happen in a simulated run of the same plan, and what helps against it. A hypothesis is
 * dropped if the violation happens without its cause too. A hypothesis that no run decides stays probable, with the
 * reason.
 *
 * @param execute makes a changed run, in simulation
 * @param wire what servers held in the run, where that was recorded
 */
export async function proveCauses(run: JudgedRun, execute: ExecuteChanged, wire?: WireRecord): Promise<Verdict> {
  const prover = new Prover(run, execute, wire);
  const properties: Verdict["properties"] = Object.fromEntries(
    await inTurn(Object.entries(run.verdict.properties), async ([property, found]) => {
      const violations = await inTurn(found.violations, (violation) => prover.prove(property as Property, violation));
      return [property, { ...found, violations }] as const;
    }),
  );
  return { ...run.verdict, properties };
}

class Prover {
  readonly #run: JudgedRun;
  readonly #grounds: Grounds;
  readonly #runs: CounterfactualRuns;
  readonly #steps: PlanSteps;
  /** By the event indices of a grant and a release: the run in which the holder keeps its lock after that release. */
  readonly #kept = new Map<string, CounterfactualRun>();

  constructor(run: JudgedRun, execute: ExecuteChanged, wire: WireRecord | undefined) {
    this.#run = run;
    this.#runs = new CounterfactualRuns(run, execute);
    this.#grounds = { run, runs: this.#runs, wire };
    this.#steps = new PlanSteps(run.history);
  }

  async prove(property: Property, violation: Violation): Promise<Violation> {
    const { finding, hypotheses = [] } = violation;
    if (finding === undefined || hypotheses.length === 0) return violation;
    const subject = subjectOf(this.#run, property, violation);
    const denied = await toldNothing(this.#grounds, violation);
    if (denied !== undefined) return this.#concluded(property, violation, subject, denied.hypothesis, denied.proof);
    const dropped: DroppedHypothesis[] = [];
    let undecided: { readonly hypothesis: Hypothesis; readonly why: string } | undefined;
    let lastDropped: Hypothesis | undefined;
    let joint: Joint | undefined;
    for (const hypothesis of inOrderOfTrial(hypotheses, this.#run.history)) {
      if (prolongsNobodys(this.#run, hypothesis)) continue;
      // The lock itself, or a release that may have been rightful, is the cause only if nothing else may have been.
      const isPerhapsRightful = hypothesis.ground.on === "operation" && hypothesis.ground.isPerhapsRightful === true;
      if ((isPerhapsRightful || hypothesis.ground.on === "rest") && undecided !== undefined) break;
      if (isPerhapsRightful) joint ??= await this.#jointly(subject, hypotheses);
      if (joint !== undefined) break;
      const trial = await this.#try(subject, hypothesis);
      if (trial.outcome === "proven") {
        const { by, run } = trial;
        const proof = { standing: "proven", by, ...(run === undefined ? {} : { run }) } as const;
        const told = { proof, ...((await toldApart(this.#grounds, subject.violation, hypothesis)) ?? { hypothesis }) };
        return this.#concluded(property, violation, subject, told.hypothesis, { ...told.proof, dropped });
      }
      if (trial.outcome === "dropped") {
        lastDropped = hypothesis;
        dropped.push({ cause: hypothesis.cause, why: hypothesis.why, run: trial.run });
      } else undecided ??= { hypothesis, why: trial.why };
    }
    // The faults together, or one that no hypothesis names, may be the cause: a run without all of them decides.
    if (undecided === undefined) joint ??= await this.#jointly(subject, hypotheses);
    if (joint !== undefined) {
      return this.#concluded(property, violation, subject, joint.hypothesis, { ...joint.proof, dropped });
    }
    if (undecided === undefined) {
      const by = "runs for comparison refuted each possible cause";
      return this.#concluded(property, violation, subject, lastDropped ?? hypotheses[0]!, {
        standing: "refuted",
        by,
        dropped,
      });
    }
    const { hypothesis, why } = undecided;
    return this.#concluded(property, violation, subject, hypothesis, { standing: "probable", by: why, dropped });
  }

  async #concluded(
    property: Property,
    violation: Violation,
    subject: Subject,
    hypothesis: Hypothesis,
    { dropped = [], ...proof }: Proof,
  ): Promise<Violation> {
    const { finding = { account: "", events: [] }, hypotheses = [], fault: _, ...rest } = violation;
    const remedies = await this.#remedies(property, subject, hypothesis);
    const whole: Proof = { ...proof, ...(dropped.length === 0 ? {} : { dropped }), remedies };
    return { ...rest, ...explainBy(finding, hypotheses, hypothesis, whole) };
  }

  async #try(subject: Subject, hypothesis: Hypothesis): Promise<Attempted> {
    const { ground } = hypothesis;
    switch (ground.on) {
      case "history":
        return { outcome: "proven", by: "the history shows it" };
      case "faults":
        return this.#withoutAny(subject, hypothesis, ground.faults);
      case "operation":
        return hypothesis.cause === "foreign-release" && isOwnExtension(this.#run, subject.violation, ground.invoked)
          ? tryExtension(this.#run, this.#runs, ground.invoked)
          : this.#tryWithoutOperation(subject, hypothesis, ground.invoked);
      case "remedy": {
        const change: Change = { kind: "with-remedy", remedy: ground.remedy };
        return this.#tryChange(subject, hypothesis, change, `with ${REMEDY[ground.remedy]}`);
      }
      case "rest":
        return this.#rest(subject, ground.faults);
    }
  }

  /** Removes the accused faults: one after the other of those that may have led to the violation, then all. */
  async #withoutAny(subject: Subject, hypothesis: Hypothesis, faults: readonly number[]): Promise<Attempted> {
    const steps = this.#steps.behind(faults);
    if (steps.length === 0) return { outcome: "undecided", why: "no fault of the plan explains it" };
    const sets = steps.length === 1 ? [steps] : [...steps.toReversed().map((step) => [step]), steps];
    let last: Attempted | undefined;
    for (const without of sets) {
      const change: Change = { kind: "without-faults", steps: without };
      const trial = await this.#tryChange(subject, hypothesis, change, this.#steps.without(without));
      if (trial.outcome === "proven") return trial;
      last = trial;
    }
    return last ?? { outcome: "undecided", why: "no fault of the plan explains it" };
  }

  /**
   * Removes the accused operation. A release that took a lock is not only one without which nothing goes wrong: its victim
   * has lost the lock by it, also if nobody asks for the lock again.
   */
  async #tryWithoutOperation(subject: Subject, hypothesis: Hypothesis, invoked: number): Promise<Attempted> {
    const change = withoutOperation(this.#run.history, invoked);
    if (change === undefined) return { outcome: "undecided", why: "that operation cannot be removed" };
    const name = `${victimOf(this.#run, subject.violation)?.index} ${invoked}`;
    // It has taken nothing from this holder, whichever later grant is looked at.
    const kept = this.#kept.get(name);
    if (kept !== undefined) return { outcome: "dropped", run: kept };
    const bare = await this.#tryChange(subject, hypothesis, change, "without that operation");
    const timed = bare.outcome === "undecided" ? await this.#tryTimed(subject, hypothesis, change, invoked) : undefined;
    const trial = timed ?? bare;
    if (trial.outcome !== "proven" || hypothesis.cause !== "foreign-release") return trial;
    const successor = acquireOfSuccessor(this.#run, subject.violation);
    if (successor === undefined) return trial;
    const calm: Change = { kind: "without-operation", f: "acquire", ...successor };
    const run = await this.#runs.of(calm);
    if (run === undefined || !isKept(this.#run, run, subject.violation, invoked)) return trial;
    const innocent = shown(calm, run);
    this.#kept.set(name, innocent);
    return { outcome: "dropped", run: innocent };
  }

  /**
   * Removes the accused operation, and lets the faults that waited for something of it come when they came. Undefined if there
   * are none, or if that decides nothing either.
   */
  async #tryTimed(
    subject: Subject,
    hypothesis: Hypothesis,
    change: WithoutOperation,
    invoked: number,
  ): Promise<Attempted | undefined> {
    const other = await this.#runs.of(change);
    const timed = other === undefined ? undefined : withTimedFaults(this.#run, change, invoked, other);
    if (timed?.timed === undefined) return undefined;
    const faults = listed(timed.timed.map(({ step }) => this.#steps.inWords(step)));
    const condition = `without that operation, and with ${faults} as it was`;
    const trial = await this.#tryChange(subject, hypothesis, timed, condition);
    return trial.outcome === "undecided" ? undefined : trial;
  }

  async #tryChange(subject: Subject, hypothesis: Hypothesis, change: Change, unwoken: string): Promise<Attempted> {
    const tried = await this.#runs.compare(subject, change, hypothesis);
    if (tried === undefined) return { outcome: "undecided", why: `deciding it would take more than ${MOST_RUNS} runs` };
    const { run, comparison, woken } = tried;
    const condition = this.#withWoken(unwoken, woken);
    const alone = comparison.outcome === "still" ? await this.#withoutLater(subject, change, condition) : undefined;
    if (alone !== undefined) return alone;
    switch (comparison.outcome) {
      case "still":
        return { outcome: "dropped", run };
      case "undecided": {
        const { why, missing } = comparison;
        const matters = missing === undefined || (await this.#matters(subject, missing));
        if (matters) return { outcome: "undecided", why: `a run ${condition} decides nothing: ${why}` };
        const by = `${condition}, it does not happen (${neverInWords(missing.map((step) => this.#steps.inWords(step)))})`;
        return { outcome: "proven", by, run };
      }
      case "gone": {
        return { outcome: "proven", by: `${condition}, ${goneInWords(comparison)}`, run };
      }
    }
  }

  /**
   * The same change, without the faults that came after the violation as well: they have not led to it, but may lead to
   * another one of the same clients, which looks the same. Undefined if that decides nothing more.
   */
  async #withoutLater(subject: Subject, change: Change, condition: string): Promise<Attempted | undefined> {
    if (change.kind !== "without-faults") return undefined;
    const later = this.#steps.after(subject.violation).filter((step) => !change.steps.includes(step));
    // A fault is recorded when its effect was seen: one that is recorded later may have led to it all the same.
    if (later.length === 0 || (await this.#matters(subject, later))) return undefined;
    const steps = [...change.steps, ...later].toSorted((left, right) => left - right);
    const tried = await this.#runs.compare(subject, { kind: "without-faults", steps });
    if (tried?.comparison.outcome !== "gone") return undefined;
    const by = `${condition}, and without what came after the violation, ${goneInWords(tried.comparison)}`;
    return { outcome: "proven", by, run: tried.run };
  }

  /** A condition with the faults that had to be left out too. */
  #withWoken(condition: string, woken: readonly number[]): string {
    if (woken.length === 0) return condition;
    const others = listed(woken.map((step) => this.#steps.inWords(step)));
    return `${condition}, and without ${others}, which had no effect here`;
  }

  /** Whether the violation needs these faults, or may: false when it happens without them. */
  async #matters(subject: Subject, steps: readonly number[]): Promise<boolean> {
    const tried = await this.#runs.compare(subject, { kind: "without-faults", steps });
    return tried?.comparison.outcome !== "still";
  }

  /** The lock itself is the cause if the violation happens without all the faults that could excuse it. */
  async #rest(subject: Subject, faults: readonly number[]): Promise<Attempted> {
    const steps = this.#steps.behind(faults);
    if (steps.length === 0) return { outcome: "proven", by: "the history shows it" };
    const tried = await this.#runs.compare(subject, { kind: "without-faults", steps });
    if (tried === undefined) return { outcome: "undecided", why: `deciding it would take more than ${MOST_RUNS} runs` };
    const { run, comparison, woken } = tried;
    const without = this.#withWoken(this.#steps.without(steps), woken);
    if (comparison.outcome === "still") return { outcome: "proven", by: `${without}, it still happens`, run };
    if (comparison.outcome === "gone") return { outcome: "dropped", run };
    const { missing } = comparison;
    if (missing !== undefined && !(await this.#matters(subject, missing))) {
      return { outcome: "dropped", run };
    }
    return { outcome: "undecided", why: `a run ${without} decides nothing: ${comparison.why}` };
  }

  /**
   * Which faults together lead to the violation if none alone does, or which fault that no hypothesis has named. The
   * named ones come first: leaving out a fault from long before changes whatever happens after it.
   */
  async #jointly(subject: Subject, hypotheses: readonly Hypothesis[]): Promise<Joint | undefined> {
    const rest = hypotheses.find(({ ground }) => ground.on === "rest");
    if (rest?.ground.on !== "rest") return undefined;
    const after = this.#steps.after(subject.violation);
    const isLater = after.length > 0 && !(await this.#matters(subject, after));
    const steps = this.#steps.behind(rest.ground.faults).filter((step) => !isLater || !after.includes(step));
    const accused = hypotheses.filter(({ ground }) => ground.on === "faults");
    const named = this.#steps.behind(accused.flatMap(({ ground }) => (ground.on === "faults" ? ground.faults : [])));
    const sets = [...(named.length > 1 ? [named] : []), ...steps.toReversed().map((step) => [step]), steps];
    for (const without of sets) {
      const tried = await this.#smallest(subject, rest, without);
      if (tried === undefined) continue;
      const { trial, left, isEachEnough } = tried;
      const events = left.flatMap((step) => this.#steps.startOf(step) ?? []);
      const [first] = events;
      if (first === undefined) continue;
      const guilty = listed(left.map((step) => this.#steps.inWords(step)));
      const { by, run } = trial;
      return {
        hypothesis: {
          cause: jointCause(events, accused, rest),
          fault: first.index,
          accused: guilty,
          events: [],
          why: isEachEnough ? `${guilty} led to it; each of them alone is enough` : `${guilty} led to it`,
          ground: { on: "faults", faults: events.map(({ index }) => index) },
          remedies: [],
        },
        proof: { standing: "proven", by, ...(run === undefined ? {} : { run }) },
      };
    }
    return undefined;
  }

  /**
   * As few of these faults as possible without which the violation does not happen; undefined if it happens without all
   * of them. Where no fewer suffice, each one that is left in alone leads to it: `isEachEnough` if runs have shown that.
   */
  async #smallest(subject: Subject, hypothesis: Hypothesis, steps: readonly number[]): Promise<Smallest | undefined> {
    const without = (left: readonly number[]): Promise<Attempted> => {
      const change: Change = { kind: "without-faults", steps: left };
      return this.#tryChange(subject, hypothesis, change, this.#steps.without(left));
    };
    const whole = await without(steps);
    if (whole.outcome !== "proven") return undefined;
    let found = { trial: whole, left: steps };
    for (const step of steps) {
      const fewer = found.left.filter((other) => other !== step);
      const trial = fewer.length === 0 ? undefined : await without(fewer);
      if (trial?.outcome === "proven") found = { trial, left: fewer };
    }
    const { left } = found;
    let isEachEnough = left.length > 1;
    for (const step of left) {
      isEachEnough &&= (await without(left.filter((other) => other !== step))).outcome === "dropped";
    }
    return { ...found, isEachEnough };
  }

  /** Tries the remedies of a hypothesis in turn until one helps. */
  async #remedies(property: Property, subject: Subject, hypothesis: Hypothesis): Promise<readonly TriedRemedy[]> {
    const tried: TriedRemedy[] = [];
    for (const remedy of hypothesis.remedies) {
      if (remedy === "fencing-resource" && !issuesFences(this.#run.history)) continue;
      const change: Change = { kind: "with-remedy", remedy };
      const run = await this.#runs.of(change);
      if (run === undefined) break;
      const outcome =
        remedy === "fencing-resource" && property !== "stale-writes" && property !== "lost-updates"
          ? refusesLateWrites(run, this.#clientOf(hypothesis))
          : REMEDY_OUTCOME[compare(this.#run, subject.property, subject.violation, run, hypothesis).outcome];
      // What the run had already is no advice.
      if (outcome === "no-help" && run === this.#run) continue;
      tried.push({ remedy, outcome, run: shown(change, run) });
      if (outcome === "prevents") break;
    }
    return tried;
  }

  /** The client that outlived its lease. */
  #clientOf({ grant }: Hypothesis): number | undefined {
    const { header, events } = this.#run.history;
    const granted = grant === undefined ? undefined : events[grant];
    return typeof granted?.process === "number" ? clientOf(granted.process, header.clients) : undefined;
  }
}

const REMEDY_OUTCOME = { gone: "prevents", still: "no-help", undecided: "undecided" } as const;
