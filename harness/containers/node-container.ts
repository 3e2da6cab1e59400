import type Dockerode from "dockerode";
import type { ProcessState } from "../core/system.ts";
import { withinDeadline } from "./engine.ts";
import { SerialQueue } from "./serial-queue.ts";

/** Engines of version 20.10 can deadlock when containers of one network end in the same instant (moby#46661). */
const endings = new SerialQueue();

/** The container of one node, as far as the engine is concerned with it. */
export class NodeContainer {
  readonly handle: Dockerode.Container;
  #deathsToCome = 0;

  constructor(handle: Dockerode.Container) {
    this.handle = handle;
  }

  async state(): Promise<ProcessState> {
    const { State } = await this.handle.inspect();
    if (State.Paused) return "paused";
    return State.Running ? "running" : "dead";
  }

  async pause(): Promise<void> {
    await this.handle.pause();
  }

  async resume(): Promise<void> {
    await this.handle.unpause();
  }

  /** Ends it, which must live, by SIGKILL. Returns its exit code. */
  async kill(): Promise<number> {
    this.#deathsToCome += 1;
    return endings.run(async () => {
      await this.handle.kill();
      const { StatusCode } = (await withinDeadline("wait for the end of a node", this.handle.wait())) as {
        readonly StatusCode: number;
      };
      return StatusCode;
    });
  }

  /** Starts it, which must be dead, with the files it had. */
  async start(): Promise<void> {
    await this.handle.start();
  }

  /** To be called for each end of it that was seen. Returns whether it was `kill` that did it. */
  isExpectedDeath(): boolean {
    if (this.#deathsToCome === 0) return false;
    this.#deathsToCome -= 1;
    return true;
  }
}
