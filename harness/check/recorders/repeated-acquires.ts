import { shareOf } from "../../core/sharing.ts";
import type { HistoryEvent, HistoryHeader } from "../../history/history.ts";
import type { Hold, HoldTracker } from "../../history/holds.ts";
import { MAY_RENEW, mayRenew } from "../../history/holds/repeated-acquire.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { type CompletionEvent, type InvocationEvent, OpenOperations } from "../../history/operations.ts";
import { UNORDERED } from "../../history/unordered.ts";

/** How many owner values are remembered that stand for others. */
const REMEMBERED = 20_000;
/** How many acquires of unknown outcome are remembered of each key. */
const REMEMBERED_OF_KEY = 64;

const EXCLUSIVE = { kind: "exclusive" } as const;

type Acquire = Extract<InvocationEvent, { f: "acquire" }>;
type Grant = Extract<HistoryEvent, { f: "acquire"; type: "ok" }>;

/**
 * What a program means that records an acquire of a key that its client holds already: the client may have entered the key once
 * more, or the lock may renew its leases so, or grant what is held without counting. Only an acquire that states `inner`, and
 * a header with `"reentrant":true`, say that it is a re-entry; lockstorm itself records renewals as extensions.
 *
 * A lock may also have another owner value for each of them, or the program that records makes one up: the checkers see the first
 * value of the hold throughout. Nobody knows which of the values refers to nothing any more.
 */
export class RepeatedAcquires {
  readonly #isOn: boolean;
  readonly #holds: HoldTracker;
  readonly #open = new OpenOperations();
  /** Processes whose operation had an unknown outcome: their clients go on under other numbers. */
  readonly #retired = new OldestFirst<number, true>();
  /** By key, the last processes whose acquire of it had an unknown outcome. */
  readonly #unanswered = new OldestFirst<string, readonly number[]>();
  /** By key and owner value, the first value of its hold. */
  readonly #first = new OldestFirst<string, string>();
  /** By key and first value of a hold, that it has several. */
  readonly #several = new OldestFirst<string, true>();
  #repeatedKey: string | undefined;

  /** @param foreign whether another program recorded the history */
  constructor(header: HistoryHeader, foreign: boolean, holds: HoldTracker) {
    this.#isOn = foreign && typeof header["backend"] !== "string" && header.reentrant !== true;
    this.#holds = holds;
  }

  /** What was left open, if anything was. */
  get remarks(): readonly string[] {
    if (this.#repeatedKey === undefined) return [];
    return [
      `${this.#repeatedKey} was granted again to a client that held it: as a renewal, or as a re-entry? Nobody is accused of what depends on it. Record renewals as \`extend\`, and re-entries with \`inner\`, or write "reentrant":true in the first line`,
    ];
  }

  /** The event as the checkers should see it. */
  read<E extends HistoryEvent>(event: E): E {
    if (!this.#isOn) return event;
    const marked =
      event.type === "invoke" && event.f === "acquire" && event.value.inner !== true
        ? { ...event, [MAY_RENEW]: true }
        : event;
    const invocation = this.#open.push(marked);
    if (event.type === "info" && event.value?.reason !== UNORDERED) this.#retire(event);
    if (event.type === "ok" && event.f === "acquire" && invocation?.f === "acquire") this.#grant(event, invocation);
    return this.#first.size === 0 ? marked : this.#named(marked);
  }

  /** Whether the holds of this owner value had several, of which one may refer to nothing. */
  hasSeveral(key: string, owner: string): boolean {
    return this.#several.has(placeOf(key, owner));
  }

  #retire({ process, key, f }: CompletionEvent): void {
    remember(this.#retired, process, true);
    if (f !== "acquire") return;
    remember(this.#unanswered, key, [...(this.#unanswered.get(key) ?? []).slice(1 - REMEMBERED_OF_KEY), process]);
  }

  #grant({ key, process, value }: Grant, invocation: Acquire): void {
    const place = placeOf(key, value.owner);
    const held = this.#ownHold(key, process, (hold) => hold.owner === this.#first.get(place));
    if (held === undefined) this.#first.delete(place);
    const own = held ?? this.#ownHold(key, process, () => true);
    const isRepeated = own !== undefined && own.grantedIndex < invocation.index && invocation.time < own.leaseEndAtMost;
    const isExclusive =
      (own?.share ?? EXCLUSIVE).kind === "exclusive" && shareOf(invocation.value).kind === "exclusive";
    if (isRepeated && mayRenew(invocation)) this.#repeatedKey ??= key;
    const first = isRepeated ? own.owner : this.#lastOwner(key, process);
    if (!isExclusive || first === undefined || first === value.owner) return;
    if (this.#isHeld(key, value.owner, process)) return;
    remember(this.#first, place, first);
    remember(this.#several, placeOf(key, first), true);
  }

  /** The owner value of the hold that this client released last, if something of it may be left. */
  #lastOwner(key: string, process: number): string | undefined {
    const last = this.#holds.lasting.lastOwner(key);
    if (last === undefined || !this.#isOwn(last.process, process)) return undefined;
    const mayHaveEntered = (asked: number): boolean => this.#isOwn(asked, process);
    const isLeft = last.entries + last.unknown > 0 || this.#unanswered.get(key)?.some(mayHaveEntered) === true;
    return isLeft ? last.owner : undefined;
  }

  /** Whether the later process is the same as the earlier one, or may continue it after an operation of unknown outcome. */
  #isOwn(earlier: number, later: number): boolean {
    return earlier === later || (this.#retired.has(earlier) && this.#holds.lineage.mayContinue(earlier, later));
  }

  #isHeld(key: string, owner: string, process: number): boolean {
    return this.#holds.find(key, owner, process)?.owner === owner;
  }

  /** The latest hold of this process, or of one that it continues. */
  #ownHold(key: string, process: number, matches: (hold: Hold) => boolean): Hold | undefined {
    let latest: Hold | undefined;
    for (const hold of this.#holds.possiblyOfClient(key, process)) {
      if (!this.#isOwn(hold.currentProcess, process) || !matches(hold)) continue;
      if (latest === undefined || hold.grantedIndex > latest.grantedIndex) latest = hold;
    }
    return latest;
  }

  #named<E extends HistoryEvent>(event: E): E {
    if (!("key" in event)) return event;
    const stated = event.value as { readonly owner?: unknown } | undefined;
    if (typeof stated?.owner !== "string") return event;
    const owner = this.#first.get(placeOf(event.key, stated.owner));
    return owner === undefined ? event : { ...event, value: { ...stated, owner } };
  }
}

function remember<K, V>(map: OldestFirst<K, V>, name: K, value: V): void {
  map.set(name, value);
  const { size, oldest } = map;
  if (size > REMEMBERED && oldest !== undefined) map.delete(oldest[0]);
}

function placeOf(key: string, owner: string): string {
  return JSON.stringify([key, owner]);
}
