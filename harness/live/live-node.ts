import type { Evidence, NodeHandle, ProcessState } from "../core/system.ts";
import type { LoopbackListener } from "./listeners/loopback-listener.ts";
import type { RealTime } from "./real-time.ts";

/** A simulated server or Sentinel as the real world handles it: every action is at the instant of its call. */
export class LiveNode implements NodeHandle {
  readonly name: string;
  readonly role: "data" | "sentinel";
  readonly losePower?: () => Promise<Evidence>;
  readonly setClockRate?: (rate: number) => Promise<Evidence>;
  readonly #inner: NodeHandle;
  readonly #time: RealTime;
  readonly #listeners: readonly LoopbackListener[];

  /** @param listeners at which clients reach it */
  constructor(inner: NodeHandle, time: RealTime, listeners: readonly LoopbackListener[]) {
    this.name = inner.name;
    this.role = inner.role;
    this.#inner = inner;
    this.#time = time;
    this.#listeners = listeners;
    if (inner.losePower !== undefined) this.losePower = () => this.#do(async () => inner.losePower?.() ?? NOTHING);
    this.setClockRate = (rate) => this.#do(async () => inner.setClockRate?.(rate) ?? NOTHING);
  }

  state(): Promise<ProcessState> {
    return this.#do(() => this.#inner.state());
  }

  pause(): Promise<Evidence> {
    return this.#do(() => this.#inner.pause());
  }

  resume(): Promise<Evidence> {
    return this.#do(() => this.#inner.resume());
  }

  kill(): Promise<Evidence> {
    return this.#do(() => this.#inner.kill());
  }

  jumpClock(ms: number): Promise<Evidence> {
    return this.#do(() => this.#inner.jumpClock(ms));
  }

  async start(options: { readonly keepData: boolean }): Promise<Evidence> {
    const evidence = await this.#do(() => this.#inner.start(options));
    await Promise.all(this.#listeners.map(({ opened }) => opened));
    return evidence;
  }

  command(...args: readonly (string | number)[]): Promise<unknown> {
    return this.#do(() => this.#inner.command(...args));
  }

  #do<T>(act: () => Promise<T>): Promise<T> {
    return this.#time.enter(act);
  }
}

const NOTHING: Evidence = { observed: false, detail: "it cannot" };
