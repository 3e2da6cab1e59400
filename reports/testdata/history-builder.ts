import type { FaultEvent, History, HistoryEvent, HistoryHeader, Unstamped } from "../../harness/history/history.ts";

/** Writes a history by hand, in milliseconds. Times must not decrease. */
export class HistoryBuilder {
  readonly #events: HistoryEvent[] = [];
  readonly #header: HistoryHeader;
  readonly #key: string;

  constructor(facts: Partial<HistoryHeader>, key = "k1") {
    this.#header = { format: "lockstorm-history", version: 1, ...facts };
    this.#key = key;
  }

  /** Records an event; returns its index. */
  at(ms: number, event: Unstamped): number {
    const index = this.#events.length;
    const time = Math.round(ms * 1e6);
    const last = this.#events.at(-1)?.time ?? 0;
    if (time < last) throw new RangeError(`event ${index} at ${ms} ms comes after one at ${last / 1e6} ms`);
    this.#events.push({ index, time, ...event } as HistoryEvent);
    return index;
  }

  /** Records the invocation of an acquire; returns its index. */
  tries(process: number, ms: number, ttlMs: number): number {
    return this.at(ms, { process, type: "invoke", f: "acquire", key: this.#key, value: { ttlMs, waitMs: 0 } });
  }

  granted(process: number, ms: number, value: { owner: string; fence?: number; validForMs?: number }): number {
    return this.at(ms, { process, type: "ok", f: "acquire", key: this.#key, value });
  }

  refused(process: number, ms: number, reason = "contended"): number {
    return this.at(ms, { process, type: "fail", f: "acquire", key: this.#key, value: { reason } });
  }

  /** Records a release from its invocation to its completion; returns the index of the invocation. */
  releases(process: number, ms: number, owner: string, released = true, tookMs = 1): number {
    const index = this.at(ms, { process, type: "invoke", f: "release", key: this.#key, value: { owner } });
    this.at(ms + tookMs, { process, type: "ok", f: "release", key: this.#key, value: { released } });
    return index;
  }

  /** Records a write with its audit line in between; returns the index of the audit line. */
  writes(
    process: number,
    ms: number,
    write: { owner: string; fence?: number; data: string },
    { accepted = true, position = 1, tookMs = 1 } = {},
  ): number {
    const about = { process, f: "write", key: this.#key } as const;
    this.at(ms, { ...about, type: "invoke", value: write });
    const value = { position, accepted, ...write };
    const audit = this.at(ms + tookMs / 2, { process: "storage", type: "audit", f: "write", key: this.#key, value });
    if (accepted) this.at(ms + tookMs, { ...about, type: "ok", value: { position } });
    else this.at(ms + tookMs, { ...about, type: "fail", value: { reason: "refused" } });
    return audit;
  }

  fault(ms: number, f: string, targets: string[], evidence: string, more: Partial<FaultEvent["value"]> = {}): number {
    const value = { phase: "start" as const, outcome: "installed" as const, ...more, targets, evidence };
    return this.at(ms, { process: "nemesis", type: "fault", f, value });
  }

  heal(ms: number, f: string, targets: string[], evidence: string): number {
    return this.fault(ms, f, targets, evidence, { phase: "heal" });
  }

  build(): History {
    return { header: this.#header, events: this.#events };
  }
}
