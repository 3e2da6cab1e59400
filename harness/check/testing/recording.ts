import { type Sharing, statedSharing } from "../../core/sharing.ts";
import type { History, HistoryEvent, HistoryHeader, Unstamped } from "../../history/history.ts";

interface GrantDetails {
  readonly fence?: number;
  readonly place?: string;
  readonly validForMs?: number;
  readonly grantedAtMs?: number;
}

interface FaultDetails {
  readonly phase?: "start" | "heal";
  readonly targets?: string[];
  readonly outcome?: "installed" | "skipped" | "indeterminate";
  readonly processes?: number[];
  readonly step?: number;
  readonly byMs?: number;
  readonly evidence?: string;
  readonly stack?: string[];
}

const MS = 1_000_000;

/** Writes down a history event by event, at times in milliseconds, for tests. The key is `k` unless said otherwise. */
export class Recording {
  readonly #header: HistoryHeader;
  readonly #events: HistoryEvent[] = [];
  #key = "k";

  constructor(facts: Partial<HistoryHeader> = {}) {
    this.#header = { format: "lockstorm-history", version: 1, ...facts };
  }

  get history(): History {
    return { header: this.#header, events: this.#events };
  }

  /** The following events concern this key. */
  on(key: string): this {
    this.#key = key;
    return this;
  }

  seek(
    atMs: number,
    process: number,
    {
      ttlMs = 1000,
      waitMs = 0,
      inner = false,
      ...sharing
    }: { ttlMs?: number; waitMs?: number; inner?: boolean } & Sharing = {},
  ): this {
    const value = { ttlMs, waitMs, ...(inner ? { inner } : {}), ...sharing };
    return this.#add(atMs, { process, type: "invoke", f: "acquire", key: this.#key, value });
  }

  /** Seeks a lock that it already holds, as far as it knows, and is granted it a millisecond later. */
  reenter(
    atMs: number,
    process: number,
    owner: string,
    { ttlMs = 1000, ...details }: GrantDetails & { ttlMs?: number } = {},
  ): this {
    return this.seek(atMs, process, { ttlMs, inner: true }).granted(atMs + 1, process, owner, details);
  }

  granted(atMs: number, process: number, owner: string, details: GrantDetails = {}): this {
    const { grantedAtMs, ...rest } = details;
    const value = { owner, ...rest, ...(grantedAtMs === undefined ? {} : { grantedAt: grantedAtMs * MS }) };
    return this.#add(atMs, { process, type: "ok", f: "acquire", key: this.#key, value });
  }

  refused(atMs: number, process: number, reason = "contended"): this {
    return this.#add(atMs, { process, type: "fail", f: "acquire", key: this.#key, value: { reason } });
  }

  /** Seeks and is granted the lock a millisecond later. */
  acquire(
    atMs: number,
    process: number,
    owner: string,
    { ttlMs = 1000, limit, permits, mode, alsoKeys, ...details }: GrantDetails & { ttlMs?: number } & Sharing = {},
  ): this {
    const sharing = statedSharing({ limit, permits, mode, alsoKeys });
    return this.seek(atMs, process, { ttlMs, ...sharing }).granted(atMs + 1, process, owner, details);
  }

  /** Seeks and is refused a millisecond later. */
  fail(atMs: number, process: number): this {
    return this.seek(atMs, process).refused(atMs + 1, process);
  }

  seekExtension(atMs: number, process: number, owner: string, ttlMs: number): this {
    return this.#add(atMs, { process, type: "invoke", f: "extend", key: this.#key, value: { owner, ttlMs } });
  }

  extended(atMs: number, process: number, owner: string, details: { validForMs?: number } = {}): this {
    return this.#add(atMs, { process, type: "ok", f: "extend", key: this.#key, value: { owner, ...details } });
  }

  failExtension(atMs: number, process: number): this {
    return this.#add(atMs, { process, type: "fail", f: "extend", key: this.#key, value: { reason: "error" } });
  }

  /** Extends within a millisecond. */
  extend(
    atMs: number,
    process: number,
    owner: string,
    { ttlMs = 1000, ...details }: { ttlMs?: number; validForMs?: number } = {},
  ): this {
    return this.seekExtension(atMs, process, owner, ttlMs).extended(atMs + 1, process, owner, details);
  }

  leave(atMs: number, process: number, owner: string, again = false): this {
    const value = again ? { owner, again } : { owner };
    return this.#add(atMs, { process, type: "invoke", f: "release", key: this.#key, value });
  }

  left(atMs: number, process: number, released = true): this {
    return this.#add(atMs, { process, type: "ok", f: "release", key: this.#key, value: { released } });
  }

  failRelease(atMs: number, process: number): this {
    return this.#add(atMs, { process, type: "fail", f: "release", key: this.#key, value: { reason: "error" } });
  }

  /** Releases within a millisecond. */
  release(atMs: number, process: number, owner: string, released = true, again = false): this {
    return this.leave(atMs, process, owner, again).left(atMs + 1, process, released);
  }

  /** The lock prolonged the lease by itself. */
  renewed(atMs: number, process: number, owner: string, validForMs: number, grantedAtMs = atMs): this {
    const value = { owner, validForMs, grantedAt: grantedAtMs * MS };
    return this.#add(atMs, { process, type: "renewed", f: "lease", key: this.#key, value });
  }

  /** The lock told the process that it stands in the queue. */
  queued(atMs: number, process: number): this {
    return this.#add(atMs, { process, type: "queued", f: "queue", key: this.#key });
  }

  /** What the process invoked has an indeterminate end. */
  info(atMs: number, process: number, f: "acquire" | "extend" | "release" | "write"): this {
    return this.#add(atMs, { process, type: "info", f, key: this.#key, value: { reason: "timed out" } });
  }

  write(
    atMs: number,
    process: number,
    owner: string,
    data: string,
    { fence, basedOn }: { fence?: number; basedOn?: number } = {},
  ): this {
    const rest = { ...(fence === undefined ? {} : { fence }), ...(basedOn === undefined ? {} : { basedOn }) };
    return this.#add(atMs, { process, type: "invoke", f: "write", key: this.#key, value: { owner, data, ...rest } });
  }

  wrote(atMs: number, process: number, position: number): this {
    return this.#add(atMs, { process, type: "ok", f: "write", key: this.#key, value: { position } });
  }

  failWrite(atMs: number, process: number): this {
    return this.#add(atMs, { process, type: "fail", f: "write", key: this.#key, value: { reason: "error" } });
  }

  /** The resource refused what the process wrote. */
  refuseWrite(atMs: number, process: number): this {
    return this.#add(atMs, { process, type: "fail", f: "write", key: this.#key, value: { reason: "refused" } });
  }

  /** Looks at the lock, and sees a millisecond later that its key has so long to live. */
  observe(atMs: number, process: number, pttlMs: number): this {
    const base = { process, f: "observe" as const, key: this.#key };
    return this.#add(atMs, { ...base, type: "invoke", value: {} }).#add(atMs + 1, {
      ...base,
      type: "ok",
      value: { pttlMs },
    });
  }

  read(atMs: number, process: number, position: number): this {
    this.#add(atMs, { process, type: "invoke", f: "read", key: this.#key, value: {} });
    return this.#add(atMs + 1, { process, type: "ok", f: "read", key: this.#key, value: { position } });
  }

  audit(
    atMs: number,
    position: number,
    data: string,
    rest: { owner?: string; fence?: number; basedOn?: number; accepted?: boolean } = {},
  ): this {
    const value = { position, data, accepted: true, ...rest };
    return this.#add(atMs, { process: "storage", type: "audit", f: "write", key: this.#key, value });
  }

  lost(atMs: number, process: number, owner: string): this {
    return this.#add(atMs, { process, type: "lost", f: "lease", key: this.#key, value: { owner } });
  }

  fault(atMs: number, f: string, details: FaultDetails = {}): this {
    const value = { phase: "start" as const, targets: [], outcome: "installed" as const, ...details };
    return this.#add(atMs, { process: "nemesis", type: "fault", f, value });
  }

  #add(atMs: number, event: Unstamped): this {
    this.#events.push({ index: this.#events.length, time: Math.round(atMs * MS), ...event });
    return this;
  }
}
