import type { ControlDirectory } from "./control.ts";

/** The wall clock of one server, with the sum of its steps. */
export class NodeClock {
  readonly #control: ControlDirectory;
  #offsetMs = 0;

  constructor(control: ControlDirectory) {
    this.#control = control;
  }

  /** Whether it shows the true time. */
  get isRight(): boolean {
    return this.#offsetMs === 0;
  }

  /** Steps it, and does not look. */
  async step(ms: number): Promise<void> {
    if (ms !== 0) this.#offsetMs = await this.#control.jumpClock(ms);
  }

  /** Undoes every step. */
  async correct(): Promise<void> {
    await this.step(-this.#offsetMs);
  }
}
