import { hintFor } from "../core/words/did-you-mean.ts";
import { UserError } from "../core/errors.ts";
import type { Fault, InjectedFault } from "../core/fault.ts";
import type { FaultStep } from "../core/plan.ts";
import type { FaultEvent } from "../history/history.ts";
import type { SystemUnderTest } from "../core/system.ts";
import { isMessageTrigger } from "../core/trigger.ts";
import { neverCame, whenCame } from "../core/messages/trigger-words.ts";
import type { EventPublisher } from "./event-publisher.ts";
import type { TriggerBoard } from "./trigger-board.ts";

/** A fault with its parameters read, ready to be injected. */
export interface ReadyFault {
  readonly kind: string;
  readonly step: FaultStep;
  /** By how much it sets clocks: the history does not have its parameters. */
  readonly byMs: number | undefined;
  readonly inject: (system: SystemUnderTest) => Promise<InjectedFault>;
}

/**
 * Reads the parameters of a plan's faults. @throws UserError for a kind that does not exist, or for parameters that the
 * fault does not take
 */
export function readyFaults(steps: readonly FaultStep[], faults: readonly Fault[]): readonly ReadyFault[] {
  return steps.map((step) => {
    const fault = faults.find(({ kind }) => kind === step.kind);
    if (fault === undefined) {
      const kinds = faults.map(({ kind }) => kind);
      throw new UserError(`there is no fault "${step.kind}"`, hintFor(step.kind, kinds));
    }
    const { byMs } = fault.traits.clock === "step" ? step.params : {};
    return {
      kind: step.kind,
      step,
      byMs: typeof byMs === "number" ? byMs : undefined,
      inject: fault.read(step.params),
    };
  });
}

/**
 * Injects and heals the faults of a plan when their triggers fire, and records each fault with its evidence. `start` returns
 * at once; `finish` heals every fault still in force and records the faults whose trigger never fired.
 */
export class Nemesis {
  readonly #system: SystemUnderTest;
  readonly #publisher: EventPublisher;
  readonly #board: TriggerBoard;
  readonly #processesOf: (client: string) => readonly number[];
  readonly #running: Promise<void>[] = [];
  readonly #inForce = new Map<number, { readonly kind: string; readonly injected: InjectedFault }>();
  readonly #pending = new Map<number, FaultStep>();
  readonly #failures: unknown[] = [];

  constructor(
    system: SystemUnderTest,
    publisher: EventPublisher,
    board: TriggerBoard,
    processesOf: (client: string) => readonly number[],
  ) {
    this.#system = system;
    this.#publisher = publisher;
    this.#board = board;
    this.#processesOf = processesOf;
  }

  /** Rejects when the harness could not inject or heal; never because of what a fault did. */
  start(faults: readonly ReadyFault[]): Promise<void> {
    faults.forEach((fault, number) => {
      this.#pending.set(number, fault.step);
      this.#running.push(this.#board.when(fault.step.at, () => this.#noteFailure(this.#inject(fault, number))));
      if (fault.step.until !== undefined) {
        // Healing waits for the injection too, whichever trigger fires first.
        const { until } = fault.step;
        this.#running.push(
          this.#board
            .wait({ on: "fault:start", fault: number })
            .then(() => this.#board.when(until, () => this.#noteFailure(this.#heal(number)))),
        );
      }
    });
    return Promise.all(this.#running).then(() => {});
  }

  /**
   * Heals the faults in force, newest first, and records those that never came as skipped. To be called when the
   * board's signal has ended all waiting. @throws what kept the harness from injecting or healing a fault
   */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#running);
    if (this.#failures.length > 0) throw this.#failures[0];
    for (const number of [...this.#inForce.keys()].toReversed()) await this.#heal(number);
    for (const [step, { kind, at }] of this.#pending) {
      const evidence = isMessageTrigger(at) ? neverCame(at) : "its trigger never happened";
      await this.#publisher.fault(kind, { phase: "start", targets: [], outcome: "skipped", evidence, step });
    }
  }

  async #inject({ kind, step: { at }, byMs, inject }: ReadyFault, number: number): Promise<void> {
    this.#pending.delete(number);
    const injected = await inject(this.#system);
    if (injected.outcome !== "skipped") this.#inForce.set(number, { kind, injected });
    const { outcome, evidence } = injected;
    // No event of the history says when the message was there.
    const when = isMessageTrigger(at) ? `${whenCame(at)}: ` : "";
    const seen = { outcome, evidence: `${when}${evidence}`, ...(byMs === undefined ? {} : { byMs }) };
    await this.#record(kind, number, "start", injected, seen);
  }

  async #heal(number: number): Promise<void> {
    const fault = this.#inForce.get(number);
    this.#inForce.delete(number);
    if (fault?.injected.heal === undefined) return;
    await this.#record(fault.kind, number, "heal", fault.injected, await fault.injected.heal());
  }

  /** Otherwise an error while the run ends would pass for the end of waiting. */
  async #noteFailure(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#failures.push(error);
      throw error;
    }
  }

  #record(
    kind: string,
    number: number,
    phase: "start" | "heal",
    { targets }: InjectedFault,
    seen: Pick<FaultEvent["value"], "outcome" | "evidence" | "byMs">,
  ): Promise<void> {
    const processes = targets.flatMap(this.#processesOf);
    return this.#publisher.fault(
      kind,
      {
        phase,
        targets: [...targets],
        ...seen,
        step: number,
        ...(processes.length === 0 ? {} : { processes }),
      },
      number,
    );
  }
}
