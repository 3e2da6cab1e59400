import type { Evidence, ProcessHandle, ProcessState } from "../../core/system.ts";
import type { Host } from "../kernel/host.ts";

/** The common part of every simulated host that a fault can hit. In a simulation every effect is visible at once. */
export abstract class SimulatedProcess implements ProcessHandle {
  readonly host: Host;

  constructor(host: Host) {
    this.host = host;
  }

  get name(): string {
    return this.host.name;
  }

  state(): Promise<ProcessState> {
    return Promise.resolve(this.host.state);
  }

  pause(): Promise<Evidence> {
    this.host.pause();
    return this.#became("paused");
  }

  resume(): Promise<Evidence> {
    this.host.resume();
    return this.#became("running");
  }

  kill(): Promise<Evidence> {
    this.host.kill();
    return this.#became("dead");
  }

  jumpClock(ms: number): Promise<Evidence> {
    const before = this.host.clock.wallMs();
    this.host.clock.jump(ms * 1000);
    const after = this.host.clock.wallMs();
    return Promise.resolve({
      observed: Math.abs(after - before - ms) <= 1,
      detail: `the clock of ${this.name} went from ${before} to ${after}`,
    });
  }

  setClockRate(rate: number): Promise<Evidence> {
    this.host.clock.setRate(rate);
    const observed = this.host.clock.rate === rate;
    return Promise.resolve({ observed, detail: `the clocks of ${this.name} run at ${this.host.clock.rate}` });
  }

  #became(state: ProcessState): Promise<Evidence> {
    return Promise.resolve({ observed: this.host.state === state, detail: `${this.name} is ${this.host.state}` });
  }
}
