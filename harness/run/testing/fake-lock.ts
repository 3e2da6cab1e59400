import type { AuditEntry, ClientReply, ClientRequest } from "../../core/system.ts";

type Request<Op extends ClientRequest["op"]> = Extract<ClientRequest, { op: Op }>;

interface Held {
  readonly owner: string;
  readonly fence: number;
  untilNs: number;
  entries: number;
}

/**
 * A correct lock with fencing tokens or, with `grantsTwice`, one that does not check whether it is held. `reentrant`
 * takes every client that asks while the lock is held for its holder: for tests with one client.
 */
export class FakeLock {
  grantsTwice = false;
  reentrant = false;
  readonly #held = new Map<string, Held>();
  #fence = 0;

  acquire({ key, ttlMs }: Request<"acquire">, nowNs: number): ClientReply {
    const holder = this.#holder(key, nowNs);
    if (holder !== undefined && !this.grantsTwice && !this.reentrant) {
      return { ok: false, kind: "contended", reason: "held by another" };
    }
    const entered = this.reentrant ? holder : undefined;
    const fence = entered?.fence ?? (this.#fence += 1);
    const owner = `owner-${fence}`;
    this.#held.set(key, { owner, fence, untilNs: nowNs + ttlMs * 1e6, entries: (entered?.entries ?? 0) + 1 });
    return { ok: true, owner, fence, validForMs: ttlMs, grantedAt: nowNs };
  }

  extend({ key, owner, ttlMs }: Request<"extend">, nowNs: number): ClientReply {
    const holder = this.#holder(key, nowNs);
    if (holder?.owner !== owner) return { ok: false, kind: "error", reason: "not the owner" };
    holder.untilNs = nowNs + ttlMs * 1e6;
    return { ok: true, owner, validForMs: ttlMs, grantedAt: nowNs };
  }

  release({ key, owner }: Request<"release">, nowNs: number): ClientReply {
    const holder = this.#holder(key, nowNs);
    if (holder?.owner !== owner) return { ok: true, released: false };
    holder.entries -= 1;
    if (holder.entries === 0) this.#held.delete(key);
    return { ok: true, released: true };
  }

  #holder(key: string, nowNs: number): Held | undefined {
    const held = this.#held.get(key);
    return held !== undefined && held.untilNs > nowNs ? held : undefined;
  }
}

/** A guarded resource that checks fencing tokens and reports each write to its listener. */
export class FakeResource {
  readonly #states = new Map<string, { position: number; fence: number; owner: string }>();
  readonly #audit: (entry: AuditEntry) => void;

  constructor(audit: (entry: AuditEntry) => void) {
    this.#audit = audit;
  }

  read({ key }: Request<"read">): ClientReply {
    return { ok: true, position: this.#states.get(key)?.position ?? 0 };
  }

  write(request: Request<"write">): ClientReply {
    const { op: _, ...write } = request;
    const state = this.#states.get(write.key) ?? { position: 0, fence: -Infinity, owner: "" };
    const fence = write.fence ?? state.fence;
    const accepted = fence > state.fence || (fence === state.fence && write.owner === state.owner);
    const position = state.position + (accepted ? 1 : 0);
    if (accepted) this.#states.set(write.key, { position, fence, owner: write.owner });
    this.#audit({ ...write, position, accepted });
    return accepted ? { ok: true, position } : { ok: false, kind: "refused", reason: "stale" };
  }
}
