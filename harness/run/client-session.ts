import { ENDLESS_TTL_MS } from "../history/holds/endless-lease.ts";
import { type HistoryEvent, INVALID_ANSWER, ONE_OF_SEVERAL, type Unstamped } from "../history/history.ts";
import { type Sharing, statedSharing } from "../core/sharing.ts";
import { BETWEEN_TRIES_MS, type Section, type Step } from "../core/plan.ts";
import type { Queued } from "../core/lock-driver.ts";
import type { ClientHandle, ClientReply, ClientRequest, RenewedLease, TrueClock } from "../core/system.ts";
import type { EventPublisher } from "./event-publisher.ts";
import type { ReleasedOwners } from "./released-owners.ts";
import type { TriggerBoard } from "./trigger-board.ts";

export interface SessionOptions {
  readonly index: number;
  readonly clients: number;
  /** Which of how many tasks of the client, from 0. */
  readonly task: { readonly index: number; readonly of: number };
  readonly client: ClientHandle;
  readonly publisher: EventPublisher;
  readonly board: TriggerBoard;
  readonly clock: TrueClock;
  /** The run is over: nothing new is invoked. */
  readonly signal: AbortSignal;
  /** `false` where what is granted does not end by itself: no TTL of the plan counts. */
  readonly leases?: false | undefined;
  /** What the client has released, whichever of its tasks did. */
  readonly released: ReleasedOwners;
}

interface Hold {
  readonly key: string;
  readonly owner: string;
  readonly fence?: number | undefined;
  readonly sharing: Sharing;
  /** Aborted when the client was told that its lease is gone. */
  readonly gone: AbortSignal;
  basedOn?: number;
}

/** Reasons of signals that only end a wait: a signal without one makes an error, with a stack. */
const LEASE_GONE = "the lease is gone";
const HOLD_OVER = "the hold is over";

const DEAD: ClientReply = { ok: false, kind: "error", reason: "the client is dead" };

/**
 * Drives one task of a client through its sections: invokes, waits for the completion, records both. After an indeterminate
 * end it continues under a new process number, which none of the client's other tasks uses. A holder that was told that its
 * lease is gone stops its work.
 */
export class ClientSession {
  readonly #options: SessionOptions;
  #process: number;
  /** By how much the process numbers of a task differ. */
  readonly #stride: number;
  #dead = false;
  #writes = 0;
  #sectionsDone = 0;
  /** Owner values whose lease is gone, as the client was told since it last asked for the lock. */
  readonly #lost = new Set<string>();
  #owner: string | undefined;
  /** The key that it has an acquire of under way. */
  #asking: string | undefined;
  /** What the section takes besides its key. */
  #alsoKeys: readonly string[] = [];
  #gone = new AbortController();
  #previous: Hold | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { index, clients, task } = options;
    this.#process = index + clients * task.index;
    this.#stride = clients * task.of;
  }

  /** Whether it uses a grant with this owner value. */
  holdsAs(owner: string): boolean {
    return owner === this.#owner;
  }

  /** Whether it has an acquire of this key under way. */
  isAskingFor(key: string): boolean {
    return key === this.#asking;
  }

  /** The lock told the client that a lease is gone. It may be this task's, whichever task records the notice. */
  hearLost({ owner }: { readonly owner: string }): void {
    // The notice may come before the grant is recorded, while a fault that waits for the grant is being injected.
    this.#lost.add(owner);
    if (owner === this.#owner) this.#gone.abort(LEASE_GONE);
  }

  recordLost({ key, owner }: { readonly key: string; readonly owner: string }): void {
    void this.#record({ type: "lost", f: "lease" }, this.#keysOf(key, owner), () => ({ owner }));
  }

  recordRenewed({ key, ...value }: RenewedLease): void {
    void this.#record({ type: "renewed", f: "lease" }, this.#keysOf(key, value.owner), () => value);
  }

  recordQueued({ key }: Queued): void {
    void this.#record({ type: "queued", f: "queue" }, [key], () => ({}));
  }

  /** The number under which the task acts now. */
  get process(): number {
    return this.#process;
  }

  /** How many sections have ended by now, granted or not. */
  get sectionsDone(): number {
    return this.#sectionsDone;
  }

  /** Runs all sections. Rejects only with the signal's reason, when the run ends first. */
  async run(sections: readonly Section[]): Promise<void> {
    for (const section of sections) {
      if (section.after !== undefined) await this.#options.board.wait(section.after);
      if (this.#dead) return;
      await this.#section(section);
      if (this.#dead) return;
      this.#sectionsDone += 1;
    }
  }

  async #section(section: Section): Promise<void> {
    const { key } = section;
    this.#lost.clear();
    this.#alsoKeys = section.alsoKeys ?? [];
    const reply = await this.#acquire(section);
    if (!reply.ok || reply.owner === undefined) return;
    const hold = this.#holdOf(key, reply.owner, reply.fence, statedSharing(section));
    await this.#use(hold, section);
    this.#owner = undefined;
    this.#previous = hold;
  }

  /** Performs the steps of a section or of a re-entry, then releases. */
  async #use(hold: Hold, { steps, release }: Pick<Section, "steps" | "release">): Promise<void> {
    for (const step of steps) {
      if (hold.gone.aborted || this.#dead) break;
      await this.#step(step, hold);
    }
    if (release) await this.#release(hold);
  }

  async #release({ key, owner, sharing }: Hold): Promise<void> {
    const { released } = this.#options;
    const value = { owner, ...released.statement(key, owner) };
    const grantedBefore = released.granted(key, owner);
    const reply = await this.#operate({ op: "release", key, owner }, value, sharing.alsoKeys);
    if (reply.ok) released.release(key, owner, { found: reply.released === true, grantedBefore });
  }

  /** An inner hold with another owner value is a separate hold. */
  async #reenter(step: Extract<Step, { do: "reenter" }>, outer: Hold): Promise<void> {
    const { ttlMs, mode = outer.sharing.mode, steps, release } = step;
    const sharing = statedSharing({ ...outer.sharing, mode });
    const asked = { ttlMs: this.#ttlMs(ttlMs), waitMs: 0, ...sharing };
    const request = { op: "acquire", key: outer.key, ...asked } as const;
    const reply = await this.#operate(request, { ...asked, inner: true }, asked.alsoKeys);
    if (!reply.ok || reply.owner === undefined) return;
    const inner = reply.owner === outer.owner ? outer : this.#holdOf(outer.key, reply.owner, reply.fence, sharing);
    await this.#use(inner, { steps, release });
  }

  #holdOf(key: string, owner: string, fence: number | undefined, sharing: Sharing): Hold {
    this.#owner = owner;
    this.#gone = new AbortController();
    if (this.#lost.has(owner)) this.#gone.abort(LEASE_GONE);
    return { key, owner, fence, sharing, gone: this.#gone.signal };
  }

  async #acquire({ key, ttlMs, waitMs, tries, ...section }: Section): Promise<ClientReply> {
    const asked = { ttlMs: this.#ttlMs(ttlMs), waitMs, ...statedSharing(section) };
    for (let left = tries - 1; ; left -= 1) {
      const reply = await this.#operate({ op: "acquire", key, ...asked }, asked, asked.alsoKeys);
      // What the lock cannot do it cannot do later.
      const isFinal = reply.ok || reply.kind === "unsupported";
      if (isFinal || left === 0 || this.#dead) return reply;
      await this.#options.clock.sleep(BETWEEN_TRIES_MS, this.#options.signal);
    }
  }

  async #step(step: Step, hold: Hold): Promise<void> {
    switch (step.do) {
      case "hold":
        return this.#holdFor(step.forMs, hold);
      case "await":
        return this.#holdFor(step.atMostMs, hold, this.#options.board.wait(step.until));
      case "read": {
        const reply = await this.#operate({ op: "read", key: hold.key }, {});
        if (reply.ok && reply.position !== undefined) hold.basedOn = reply.position;
        return;
      }
      case "write":
        return this.#write(hold);
      case "extend": {
        const { key, owner, sharing } = hold;
        const ttlMs = this.#ttlMs(step.ttlMs);
        const value = { owner, ttlMs, ...this.#options.released.statement(key, owner) };
        await this.#operate({ op: "extend", key, owner, ttlMs }, value, sharing.alsoKeys);
        return;
      }
      case "reenter":
        return this.#reenter(step, hold);
      case "release": {
        const released = step.hold === "own" ? hold : this.#previous;
        return released === undefined ? undefined : this.#release(released);
      }
    }
  }

  /** How long a lease is asked for, where the plan says this. */
  #ttlMs(planned: number): number {
    return this.#options.leases === false ? ENDLESS_TTL_MS : planned;
  }

  async #write(hold: Hold): Promise<void> {
    const { key, owner, fence, basedOn } = hold;
    const data = `p${this.#process}-${(this.#writes += 1)}`;
    const value = {
      owner,
      ...(fence === undefined ? {} : { fence }),
      data,
      ...(basedOn === undefined ? {} : { basedOn }),
    };
    const reply = await this.#operate({ op: "write", key, ...value }, value);
    // The author of a write has seen it: its next write is based on it.
    if (reply.ok && reply.position !== undefined && basedOn !== undefined) hold.basedOn = reply.position;
  }

  /** Holds for `ms`, but no longer than until `enough` resolves or the lease is gone. */
  async #holdFor(ms: number, { gone }: Hold, enough?: Promise<void>): Promise<void> {
    const { clock, signal } = this.#options;
    // One signal for all ends: combining signals costs more than the rest of a step.
    const over = new AbortController();
    const end = (): void => over.abort(HOLD_OVER);
    for (const each of [signal, gone]) {
      if (each.aborted) end();
      each.addEventListener("abort", end, { once: true });
    }
    let sleeps = true;
    const passed = clock.sleep(ms, over.signal).then(
      () => void (sleeps = false),
      (error: unknown) => {
        if (signal.aborted) throw signal.reason;
        if (!over.signal.aborted) throw error;
      },
    );
    try {
      await Promise.race(enough === undefined ? [passed] : [enough, passed]);
    } finally {
      for (const each of [signal, gone]) each.removeEventListener("abort", end);
      if (sleeps) end();
    }
  }

  /** Invokes one operation, on several keys at once if there are others, and records how it ended. */
  async #operate(request: ClientRequest, value: object, alsoKeys: readonly string[] = []): Promise<ClientReply> {
    const { client, signal } = this.#options;
    signal.throwIfAborted();
    // A fault may have killed the client between two operations. A dead client invokes nothing.
    if (await this.#isDead()) return DEAD;
    const { op: f, key } = request;
    const keys = [key, ...alsoKeys];
    const asked = (own: string): object => (f === "acquire" ? beside(keys, own, value) : value);
    const invoked = await this.#record({ type: "invoke", f }, keys, asked);
    signal.throwIfAborted();
    if (f === "acquire") this.#asking = key;
    const reply = await client.perform(request, invoked?.index);
    this.#asking = undefined;
    if (f === "acquire" && reply.ok && reply.owner !== undefined) this.#options.released.grant(key, reply.owner);
    const { type, value: outcome } = completion(reply, keys.length > 1);
    await this.#record({ type, f }, keys, () => outcome);
    // None of the process numbers is used again.
    if (type === "info") this.#process += this.#stride * keys.length;
    if (!reply.ok) await this.#isDead();
    return reply;
  }

  /** The keys of the hold of this key and owner value. */
  #keysOf(key: string, owner: string): readonly string[] {
    return this.#owner === undefined || owner === this.#owner ? [key, ...this.#alsoKeys] : [key];
  }

  /**
   * Records an event of each key, and publishes that of the first. A process does one thing at a time: the other keys are
   * acquired under other process numbers of the client.
   */
  #record(
    kind: { readonly type: string; readonly f: string },
    keys: readonly string[],
    value: (key: string) => object,
  ): Promise<HistoryEvent | undefined> {
    const { publisher } = this.#options;
    const [first, ...others] = keys.map((key, index) => {
      const event = { ...kind, process: this.#process + index * this.#stride, key, value: value(key) };
      return event as Unstamped & { process: number };
    });
    for (const event of others) publisher.recorder.record(event);
    return first === undefined ? Promise.resolve(undefined) : publisher.client(first);
  }

  async #isDead(): Promise<boolean> {
    this.#dead ||= (await this.#options.client.state()) === "dead";
    return this.#dead;
  }
}

/** The request for one of several keys: it names the others. */
function beside(keys: readonly string[], own: string, value: object): object {
  return keys.length === 1 ? value : { ...value, alsoKeys: keys.filter((key) => key !== own) };
}

/** A reply as the history records it. If one of several keys was held, the reply does not say which. */
function completion(reply: ClientReply, isOfSeveral: boolean): { type: "ok" | "fail" | "info"; value: object } {
  if (reply.ok) {
    const { ok: _, ...value } = reply;
    return { type: "ok", value };
  }
  const { kind } = reply;
  if (kind === "contended" && isOfSeveral)
    return { type: "fail", value: { reason: ONE_OF_SEVERAL, detail: reply.reason } };
  const type = kind === "indeterminate" || kind === INVALID_ANSWER ? "info" : "fail";
  const reason = kind === "contended" || kind === "refused" || kind === INVALID_ANSWER ? kind : reply.reason;
  return { type, value: reason === reply.reason ? { reason } : { reason, detail: reply.reason } };
}
