import { faultInWords } from "../check/words.ts";
import { mayLeadToPromotion, PROMOTION } from "../core/fault-traits.ts";
import { listed } from "../core/listed.ts";
import type { Violation } from "../core/verdict.ts";
import { FaultTimeline } from "../history/fault-timeline.ts";
import type { FaultEvent, History } from "../history/history.ts";

/** The faults of a plan, by their positions in it, and what a run of it recorded of them. */
export class PlanSteps {
  readonly #history: History;
  readonly #faults: readonly FaultEvent[];
  readonly #timeline = new FaultTimeline();

  constructor(history: History) {
    this.#history = history;
    this.#faults = history.events.filter((event) => event.type === "fault");
    for (const event of this.#faults) this.#timeline.push(event);
  }

  /** Positions in the plan of the faults behind these events; for a promotion, all faults that may have led to it. */
  behind(faults: readonly number[]): readonly number[] {
    const steps = new Set<number>();
    for (const event of this.#faults) {
      if (!faults.includes(event.index)) continue;
      if (event.value.step !== undefined) steps.add(event.value.step);
      if (event.f !== PROMOTION) continue;
      for (const { event: earlier, traits } of this.#timeline.faults) {
        const { step, outcome, targets } = earlier.value;
        const onlyClients = targets.length > 0 && targets.every((target) => target.startsWith("client-"));
        if (step === undefined || outcome === "skipped" || onlyClients || !mayLeadToPromotion(traits)) continue;
        if (earlier.index < event.index) steps.add(step);
      }
    }
    return [...steps].toSorted((left, right) => left - right);
  }

  /** Positions in the plan of the faults that were recorded when the violation was complete. */
  after({ finding, events }: Violation): readonly number[] {
    const last = Math.max(...(finding?.events ?? events));
    const end = this.#history.events[last]?.time ?? Infinity;
    return this.#faults.flatMap(({ time, value: { step, phase } }) =>
      step !== undefined && phase === "start" && time > end ? [step] : [],
    );
  }

  /** `without a pause-client of client-0 at 100 ms (event 6)` */
  without(steps: readonly number[]): string {
    return `without ${listed(steps.map((step) => this.inWords(step)))}`;
  }

  /** The event with which this fault of the plan began. */
  startOf(step: number | undefined): FaultEvent | undefined {
    return this.#faults.find(({ value }) => value.step === step && value.phase === "start");
  }

  /** That event in words, or the position in the plan where none was recorded. */
  inWords(step: number): string {
    const event = this.startOf(step);
    return event === undefined ? `fault ${step} of the plan` : faultInWords(event);
  }
}
