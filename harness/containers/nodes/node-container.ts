import type Dockerode from "dockerode";
import type { ProcessState } from "../../core/system.ts";
import { withinDeadline } from "../engine/engine.ts";
import { endContainer } from "../engine/engine-turns.ts";

/** The container of one node, as the engine sees it. */
export class NodeContainer {
  readonly handle: Dockerode.Container;
  #deathsToCome = 0;
  #pausesToCome = 0;

  constructor(handle: Dockerode.Container) {
    this.handle = handle;
  }

  async state(): Promise<ProcessState> {
    const { State } = await this.handle.inspect();
    if (State.Paused) return "paused";
    return State.Running ? "running" : "dead";
  }

  async pause(): Promise<void> {
    this.#pausesToCome += 1;
    await this.handle.pause();
  }

  async resume(): Promise<void> {
    await this.handle.unpause();
  }

  /** Ends it by SIGKILL; it must live. Returns its exit code. */
  async kill(): Promise<number> {
    this.#deathsToCome += 1;
    return endContainer(async () => {
      await this.handle.kill();
      const { StatusCode } = (await withinDeadline("wait for the end of a node", this.handle.wait())) as {
        readonly StatusCode: number;
      };
      return StatusCode;
    });
  }

  /** Starts it with its existing files; it must be dead. */
  async start(): Promise<void> {
    await this.handle.start();
  }

  /** Call it for each observed pause. Returns whether `pause` caused it. */
  isExpectedPause(): boolean {
    if (this.#pausesToCome === 0) return false;
    this.#pausesToCome -= 1;
    return true;
  }

  /** Call it for each observed end. Returns whether `kill` caused it. */
  isExpectedDeath(): boolean {
    if (this.#deathsToCome === 0) return false;
    this.#deathsToCome -= 1;
    return true;
  }
}
