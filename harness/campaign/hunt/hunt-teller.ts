import { checkHistory } from "../../check/check.ts";
import { listed } from "../../core/listed.ts";
import type { Plan } from "../../core/plan.ts";
import type { Verdict } from "../../core/verdict.ts";
import { inFigures } from "../../core/words/in-figures.ts";
import type { RunCount } from "../run-campaign.ts";
import type { Progress } from "../run-environment.ts";
import { isAnyGranted, type Lesson } from "../systematic/systematic-plans.ts";
import { outcomeWords } from "./outcome-words.ts";

/** In simulation, how many runs pass between two steps: a run takes milliseconds. */
const RUNS_A_STEP = 25;
/** Runs of a lock that loads much are slow: then each of them is told. */
const SLOW_RUNS_MS = 1_000;

interface HuntWords {
  readonly title: string;
  /** The command that checks the lock's driver. */
  readonly conform: string;
  /** How many plans the hunt may try. */
  readonly runs: number;
  readonly inRealTime: boolean;
  readonly shrinkRuns: number;
}

/**
 * Tells how far a hunt is: what it found as soon as it is found, since shrinking and confirming take up to a thousand runs
 * more; besides, in real time what came out of each run, in simulation now and then how many there were.
 */
export class HuntTeller {
  readonly #progress: Progress;
  readonly #words: HuntWords;
  #toldMs = performance.now();

  constructor(progress: Progress, words: HuntWords) {
    this.#progress = progress;
    this.#words = words;
  }

  beforeRuns(): void {
    const { title, runs, inRealTime } = this.#words;
    if (!inRealTime) this.#progress.step(`${title}: the first of ${inFigures(runs)} ${runs === 1 ? "run" : "runs"}`);
  }

  /**
   * Tells of the runs that show what a lock does, as they begin. Where the first of them grants nothing, it is told at once: the
   * runs of the hunt would wait as long for what does not come before they say so.
   */
  whileLearning(learn: (plan: Plan) => Promise<Lesson>): (plan: Plan) => Promise<Lesson> {
    let lessons = 0;
    return async (plan) => {
      lessons += 1;
      this.#progress.step(`${this.#words.title}: learning what the lock does, run ${inFigures(lessons)}`);
      const lesson = await learn(plan);
      if (lessons === 1 && !isAnyGranted(lesson)) this.#tellNothingGranted(lesson);
      return lesson;
    };
  }

  #tellNothingGranted({ history }: Lesson): void {
    // The run's own reasons, such as its time limit, come before that of the lock.
    const why = checkHistory(history, { required: ["lease-exclusion"] }).reasons.at(-1);
    this.#progress.note(`without faults, ${why ?? "nothing was granted"}; check the driver: ${this.#words.conform}`);
  }

  afterRun(verdict: Verdict, { done, shrinking }: Pick<RunCount, "done" | "shrinking">): void {
    const { title, runs, inRealTime } = this.#words;
    const which = `run ${inFigures(done)} of ${inFigures(runs)}`;
    if (verdict.verdict === "invalid" && !shrinking) this.#progress.note(`${which}: ${this.#foundWords(verdict)}`);
    else if (inRealTime) this.#progress.note(`${shrinking ? "a smaller plan" : which}: ${outcomeWords(verdict)}`);
    else if (shrinking) this.#progress.step(`${title}: shrinking`);
    else if (this.#isDue(done)) this.#progress.step(`${title}: ${which}`);
  }

  #isDue(done: number): boolean {
    const nowMs = performance.now();
    if (done % RUNS_A_STEP !== 0 && nowMs - this.#toldMs <= SLOW_RUNS_MS) return false;
    this.#toldMs = nowMs;
    return true;
  }

  /** @param before how many runs with other seeds were done */
  beforeOtherSeed(before: number): void {
    if (before % RUNS_A_STEP === 0)
      this.#progress.step(`${this.#words.title}: confirming with other seeds, run ${inFigures(before + 1)}`);
  }

  beforeProof(): void {
    this.#progress.step(`${this.#words.title}: proving the cause`);
  }

  #foundWords({ required, properties }: Verdict): string {
    const { inRealTime, shrinkRuns } = this.#words;
    const violated = required.filter((property) => properties[property]?.verdict === "invalid");
    const next = [
      ...(shrinkRuns > 0 ? ["shrinking its plan"] : []),
      ...(inRealTime ? [] : ["confirming it with other seeds"]),
    ];
    const goesOn = next.length === 0 ? "" : `; ${listed(next)} before the result is printed`;
    return `invalid: ${listed(violated)} ${violated.length === 1 ? "was" : "were"} violated${goesOn}`;
  }
}
