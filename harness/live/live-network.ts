import type { Edge, Evidence, NetworkControl } from "../core/system.ts";
import type { RealTime } from "./real-time.ts";

/** The network of the simulation as the real world handles it: every fault is at the instant of its call. */
export class LiveNetwork implements NetworkControl {
  readonly #inner: NetworkControl;
  readonly #time: RealTime;

  constructor(inner: NetworkControl, time: RealTime) {
    this.#inner = inner;
    this.#time = time;
  }

  cut(edge: Edge): Promise<Evidence> {
    return this.#time.enter(() => this.#inner.cut(edge));
  }

  delay(edge: Edge, ms: number): Promise<Evidence> {
    return this.#time.enter(() => this.#inner.delay(edge, ms));
  }

  stall(edge: Edge): Promise<Evidence> {
    return this.#time.enter(() => this.#inner.stall(edge));
  }

  reset(edge: Edge): Promise<Evidence> {
    return this.#time.enter(() => this.#inner.reset(edge));
  }

  heal(edge: Edge): Promise<Evidence> {
    return this.#time.enter(() => this.#inner.heal(edge));
  }
}
