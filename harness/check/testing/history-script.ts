import type { HistoryEvent } from "../../history/history.ts";
import { randomStream } from "../../core/random.ts";

const MS = 1_000_000;

/** Writes events one after another: it gives each its index and its time. */
export class HistoryScript {
  #index = 0;
  #time = 0;
  readonly #random = randomStream(1, "adversarial");

  /** A number from 0 to `below` - 1. */
  pick(below: number): number {
    return this.#random.integer(0, below - 1);
  }

  wait(ms: number): void {
    this.#time += ms * MS;
  }

  seek(process: number, ttlMs = 1000, key = "k"): HistoryEvent {
    return { ...this.#stamp(process), type: "invoke", f: "acquire", key, value: { ttlMs } };
  }

  granted(process: number, owner: string, fence?: number, key = "k"): HistoryEvent {
    const value = fence === undefined ? { owner } : { owner, fence };
    return { ...this.#stamp(process), type: "ok", f: "acquire", key, value };
  }

  refused(process: number): HistoryEvent {
    return { ...this.#stamp(process), type: "fail", f: "acquire", key: "k", value: { reason: "contended" } };
  }

  leave(process: number, owner: string, key = "k"): HistoryEvent {
    return { ...this.#stamp(process), type: "invoke", f: "release", key, value: { owner } };
  }

  released(process: number, released = true, key = "k"): HistoryEvent {
    return { ...this.#stamp(process), type: "ok", f: "release", key, value: { released } };
  }

  prolong(process: number, owner: string, ttlMs = 1000): HistoryEvent {
    return { ...this.#stamp(process), type: "invoke", f: "extend", key: "k", value: { owner, ttlMs } };
  }

  prolonged(process: number, owner: string): HistoryEvent {
    return { ...this.#stamp(process), type: "ok", f: "extend", key: "k", value: { owner } };
  }

  unknown(process: number, f: "acquire" | "release" | "extend" | "write"): HistoryEvent {
    return { ...this.#stamp(process), type: "info", f, key: "k", value: {} };
  }

  lost(process: number, owner: string): HistoryEvent {
    return { ...this.#stamp(process), type: "lost", f: "lease", key: "k", value: { owner } };
  }

  write(process: number, owner: string, data: string, fence?: number): HistoryEvent {
    const value = fence === undefined ? { owner, data } : { owner, data, fence };
    return { ...this.#stamp(process), type: "invoke", f: "write", key: "k", value };
  }

  written(process: number, position: number): HistoryEvent {
    return { ...this.#stamp(process), type: "ok", f: "write", key: "k", value: { position } };
  }

  /** The resource says that it applied a write at this position. */
  audited(position: number, owner: string, data: string, fence: number): HistoryEvent {
    const value = { position, owner, data, fence, accepted: true };
    return { ...this.#stamp(0), process: "storage", type: "audit", key: "k", value };
  }

  kill(process: number): HistoryEvent {
    const value = {
      phase: "start" as const,
      targets: [`client-${process}`],
      outcome: "installed" as const,
      processes: [process],
    };
    return { ...this.#stamp(0), process: "nemesis", type: "fault", f: "kill-client", value };
  }

  disturb(f: string, target: string): HistoryEvent {
    const value = { phase: "start" as const, targets: [target], outcome: "installed" as const };
    return { ...this.#stamp(0), process: "nemesis", type: "fault", f, value };
  }

  #stamp(process: number): { index: number; time: number; process: number } {
    this.#time += 1000;
    return { index: this.#index++, time: this.#time, process };
  }
}
