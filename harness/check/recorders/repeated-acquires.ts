import { type Share, shareOf } from "../../core/sharing.ts";
import type { HistoryEvent, HistoryHeader } from "../../history/history.ts";
import type { Hold, HoldTracker } from "../../history/holds.ts";
import { overForCertain } from "../../history/holds/over-for-certain.ts";
import { MAY_RENEW, mayRenew } from "../../history/holds/repeated-acquire.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { type CompletionEvent, type InvocationEvent, OpenOperations } from "../../history/operations.ts";
import { UNORDERED } from "../../history/unordered.ts";
import type { Property, PropertyVerdict } from "../../core/verdict.ts";
import { unknown } from "../findings.ts";
import { timeWords } from "../words.ts";
import { ContinuedProcesses } from "./continued-processes.ts";
import { ownerName, underFirst } from "../../history/owner-value.ts";

/** How many owner values are remembered that stand for others. */
const REMEMBERED = 20_000;
/** The grant that was answered last, or the first of several in a row to one owner. */
interface Latest {
  readonly owner: string;
  /** Whether nobody else holds the key then. */
  readonly isExclusive: boolean;
  readonly invoked: number;
  readonly granted: number;
}

/** What is judged by who is which client. */
const BY_CLIENTS: readonly Property[] = ["lease-exclusion", "linearizability"];

/** How many acquires of unknown outcome are remembered of each key. */
const REMEMBERED_OF_KEY = 64;

type MayHaveDrawn = (key: string, first: string) => boolean;

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
  /** Whether each of them is a re-entry: only an extension gives a hold another value then. */
  readonly #isReentrant: boolean;
  readonly #mayHaveDrawn: MayHaveDrawn;
  readonly #holds: HoldTracker;
  readonly #open = new OpenOperations();
  readonly #processes: ContinuedProcesses;
  /** By key, the last processes whose acquire of it had an unknown outcome. */
  readonly #unanswered = new OldestFirst<string, readonly number[]>(REMEMBERED);
  /** By key and owner value, the first value of its hold. */
  readonly #first = new OldestFirst<string, string>(REMEMBERED);
  /**
   * By key and owner value, that it was granted as the first value of its hold, or that it was used before it was ever granted: a
   * hold was found under it, or is being looked for. It stands for no other.
   */
  readonly #own = new OldestFirst<string, true>(REMEMBERED);
  /** By key and owner value, how many releases and extensions of it are under way. */
  readonly #underWay = new OldestFirst<string, number>(REMEMBERED);
  /** By key and first value of a hold, that it has several. */
  readonly #several = new OldestFirst<string, true>(REMEMBERED);
  /** By key, the owner value that was granted it last, as the checkers see it, and when it was asked for first. */
  readonly #latest = new OldestFirst<string, Latest>(REMEMBERED);
  #repeatedKey: string | undefined;
  /** Why it is not known whether the lock was granted twice, if so. */
  #doubt: string | undefined;

  /**
   * @param foreign whether another program recorded the history
   * @param holds those of the history
   * @param mayHaveDrawn whether an extension of unknown outcome may have given a hold another value
   */
  constructor(header: HistoryHeader, foreign: boolean, holds: HoldTracker, mayHaveDrawn: MayHaveDrawn) {
    this.#isOn = foreign && typeof header["backend"] !== "string";
    this.#isReentrant = header.reentrant === true;
    this.#mayHaveDrawn = mayHaveDrawn;
    this.#holds = holds;
    this.#processes = new ContinuedProcesses(holds.lineage);
  }

  /** A verdict, or `unknown` where two processes held together that may be one client, or two. */
  withoutDoubtful(property: Property, verdict: PropertyVerdict): PropertyVerdict {
    if (this.#doubt === undefined || verdict.verdict !== "valid" || !BY_CLIENTS.includes(property)) return verdict;
    return unknown(this.#doubt);
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
      event.type === "invoke" && event.f === "acquire" && event.value.inner !== true && !this.#isReentrant
        ? { ...event, [MAY_RENEW]: true }
        : event;
    const invocation = this.#open.push(marked);
    this.#processes.push(event);
    this.#use(event, invocation);
    if (event.type === "info" && event.f === "acquire" && event.value?.reason !== UNORDERED) this.#leave(event);
    if (event.type === "ok" && event.f === "acquire" && invocation?.f === "acquire") this.#grant(event, invocation);
    return this.#first.size === 0 ? marked : this.#named(marked);
  }

  /** The owner value that the checkers see in place of this one. */
  seenAs(key: string, owner: string): string {
    return this.#first.get(ownerName(key, owner)) ?? owner;
  }

  /** Whether the holds of this owner value had several, of which one may refer to nothing. */
  hasSeveral(key: string, owner: string): boolean {
    return this.#several.has(ownerName(key, owner));
  }

  #leave({ process, key }: CompletionEvent): void {
    this.#unanswered.set(key, [...(this.#unanswered.get(key) ?? []).slice(1 - REMEMBERED_OF_KEY), process]);
  }

  #use(event: HistoryEvent, invocation: InvocationEvent | undefined): void {
    const operation = event.type === "invoke" ? event : invocation;
    if (operation?.f !== "extend" && operation?.f !== "release") return;
    const place = ownerName(operation.key, operation.value.owner);
    if (event.type === "invoke") this.#underWay.set(place, (this.#underWay.get(place) ?? 0) + 1);
    else if ((this.#underWay.get(place) ?? 1) > 1) this.#underWay.set(place, this.#underWay.get(place)! - 1);
    else this.#underWay.delete(place);
    const isFound = event.type === "ok" && (event.f === "extend" || (event.f === "release" && event.value.released));
    if (isFound && !this.#first.has(place)) this.#own.set(place, true);
  }

  #grant(grant: Grant, invocation: Acquire): void {
    const { key, process, value } = grant;
    const place = ownerName(key, value.owner);
    const known = this.#first.get(place);
    const own = this.#ownHold(key, process, (hold) => hold.owner === known) ?? this.#ownHold(key, process, () => true);
    const latest = this.#latest.get(key);
    const asked = {
      isExclusive: isExclusive(shareOf(invocation.value)),
      invoked: invocation.index,
      granted: grant.index,
    };
    // Granted again, it has held all the time.
    if (latest?.owner !== (known ?? value.owner)) this.#latest.set(key, { owner: known ?? value.owner, ...asked });
    // Where another owner was granted the key since, and the two cannot hold at a time, the hold is over: it cannot go on.
    const isOver =
      own !== undefined &&
      latest !== undefined &&
      (latest.isExclusive || isExclusive(own.share)) &&
      isBetween(latest, own, invocation);
    const isRepeated =
      own !== undefined &&
      !isOver &&
      own.grantedIndex < invocation.index &&
      invocation.time < overForCertain(own, process);
    if (isRepeated && mayRenew(invocation)) this.#repeatedKey ??= key;
    // A value stands for the same one throughout: what happened under it before concerns what happens later.
    if (known !== undefined || this.#own.has(place)) return;
    const isUsed = this.#underWay.has(place);
    // Where a client may hold several times under several values, it does so unless an extension may have drawn this one.
    const mayGoOn =
      ((own === undefined || isExclusive(own.share)) && asked.isExclusive) ||
      (isRepeated && this.#mayHaveDrawn(key, own.owner));
    const first = this.#firstOf(isRepeated ? own : undefined, grant);
    if (isUsed || !mayGoOn || first === undefined || first === value.owner || this.#isHeld(key, value.owner, process)) {
      this.#own.set(place, true);
      return;
    }
    if (isRepeated && this.#mayBeAnother(own, grant)) this.#doubt ??= doubtInWords(own, grant);
    this.#first.set(place, first);
    this.#latest.set(key, { owner: first, ...asked });
    this.#several.set(ownerName(key, first), true);
  }

  /** The owner value of the hold that a grant goes on with. Where each is a re-entry, only an extension can have drawn the other value. */
  #firstOf(repeated: Hold | undefined, { key, process }: Grant): string | undefined {
    if (!this.#isReentrant) return repeated?.owner ?? this.#lastOwner(key, process);
    return repeated !== undefined && this.#mayHaveDrawn(key, repeated.owner) ? repeated.owner : undefined;
  }

  /** Whether the grant may as well be to another client, while the hold was in force. */
  #mayBeAnother({ currentProcess, leaseEnd }: Hold, { process, time }: Grant): boolean {
    return currentProcess !== process && !this.#holds.lineage.knowsClients && leaseEnd > time;
  }

  /** The owner value of the hold that this client released last, if something of it may be left. */
  #lastOwner(key: string, process: number): string | undefined {
    const last = this.#holds.lasting.lastOwner(key);
    if (last === undefined || !this.#processes.mayContinue(last.process, process)) return undefined;
    return last.entries + last.unknown > 0 || this.#mayHaveEntered(key, process) ? last.owner : undefined;
  }

  /** Whether the client of this process had asked for the key before, and does not know the outcome. */
  #mayHaveEntered(key: string, process: number): boolean {
    const isOwn = (asked: number): boolean => this.#processes.mayContinue(asked, process);
    if (this.#unanswered.get(key)?.some(isOwn) === true) return true;
    let seen = 0;
    for (const { process: asking } of this.#holds.openAcquires(key, process)) {
      seen += 1;
      if (seen > REMEMBERED_OF_KEY || (asking !== process && isOwn(asking))) return true;
    }
    return false;
  }

  #isHeld(key: string, owner: string, process: number): boolean {
    return this.#holds.find(key, owner, process)?.owner === owner;
  }

  /** The latest hold of this process, or of one that it continues. */
  #ownHold(key: string, process: number, matches: (hold: Hold) => boolean): Hold | undefined {
    let latest: Hold | undefined;
    for (const hold of this.#holds.possiblyOfClient(key, process)) {
      if (!this.#processes.mayContinue(hold.currentProcess, process) || !matches(hold)) continue;
      if (latest === undefined || hold.grantedIndex > latest.grantedIndex) latest = hold;
    }
    return latest;
  }

  #named<E extends HistoryEvent>(event: E): E {
    if (!("key" in event)) return event;
    const stated = event.value as { readonly owner?: unknown } | undefined;
    if (typeof stated?.owner !== "string") return event;
    const owner = this.#first.get(ownerName(event.key, stated.owner));
    return owner === undefined ? event : underFirst(event, owner);
  }
}

function isExclusive({ kind }: Share): boolean {
  return kind === "exclusive";
}

function doubtInWords({ currentProcess }: Hold, { key, process, time }: Grant): string {
  return (
    `process ${process} was granted ${key} at ${timeWords(time)}, while process ${currentProcess} held it, whose operation had an unknown outcome: ` +
    "the two are two clients, or the client went on under another number and renewed its lease or entered it again, and the history does not say which. " +
    "Add `clients`, the number of clients, to its first line, and give the processes of one client numbers that differ by multiples of it"
  );
}

/**
 * Whether another owner was certainly granted the key after this hold began, and before this acquire. An extension of the hold came
 * before that grant, whenever it was answered: it would have found nothing after it.
 */
function isBetween({ owner, invoked, granted }: Latest, hold: Hold, { index }: Acquire): boolean {
  return owner !== hold.owner && invoked > hold.grantedIndex && granted < index;
}
