import { clientOf } from "../clients.ts";
import type { HistoryEvent } from "../history.ts";
import type { CompletionEvent, InvocationEvent } from "../operations.ts";
import { OldestFirst } from "../oldest-first.ts";
import { BESIDE_OTHERS } from "../unordered.ts";
import { ownerName } from "../owner-value.ts";

/** How many owner values are remembered of the releases of one client and key. */
const REMEMBERED = 64;

/** How many owner values are remembered that were handed on to other clients. */
const REMEMBERED_HANDED_ON = 10_000;

/** The releases of one owner value by one client. */
interface Releases {
  readonly open: number;
  /** Index of the last event of one of them. */
  readonly last: number;
}

/** What one client does to one key. */
interface Doings {
  /** How many acquires and extensions are under way. */
  asking: number;
  /** By owner value, the one that was released longest ago first. */
  readonly releases: Map<string, Releases>;
  /** Whatever was released until then, it may have been under any owner value. */
  forgottenUpTo: number;
}

/**
 * Which releases a client has under way, or had, while it acquires or extends the same key. A client that uses one owner value for
 * several operations at a time may so give up a hold before it is told of it. Where the history does not say how many
 * clients ran, all processes that use an owner value may be one client.
 */
export class OwnReleases {
  readonly #clients: number | undefined;
  readonly #doings = new Map<string, Doings>();
  /** What any client began to release at the time of the last event, by key and owner value. */
  readonly #atOnce = new Set<string>();
  #time = -1;
  /** By key and owner value, the releases by other clients than the one that was granted it. */
  readonly #handedOn = new OldestFirst<string, Releases>(REMEMBERED_HANDED_ON);
  /** By process, the key and owner value of such a release that is under way. */
  readonly #handed = new OldestFirst<number, string>(REMEMBERED_HANDED_ON);

  /** @param clients how many clients ran, where the history says so */
  constructor(clients: number | undefined) {
    this.#clients = clients;
  }

  /** A client begins to release what another was granted: the owner value was handed on to it. */
  handOn({ key, process, index, value }: Extract<InvocationEvent, { f: "release" }>): void {
    const place = ownerName(key, value.owner);
    this.#handed.set(process, place);
    this.#handedOn.set(place, { open: (this.#handedOn.get(place)?.open ?? 0) + 1, last: index });
  }

  /** Takes the next event, after it was asked whether a hold is doubtful. */
  push(event: HistoryEvent, invocation: InvocationEvent | undefined): void {
    if (event.time !== this.#time) this.#atOnce.clear();
    this.#time = event.time;
    if (event.type === "invoke" && event.f === "release") this.#atOnce.add(ownerName(event.key, event.value.owner));
    if (event.type !== "invoke" && invocation?.f === "release") this.#settle(invocation.process, event.index);
    if (event.type === "lost") {
      // It tells of a hold, and nobody knows of which.
      const beside = this.#doings.get(this.#nameOf(event.key, event.process));
      if (beside !== undefined) this.#count(beside, event.value.owner, 0, event.index);
      return;
    }
    const begins = event.type === "invoke";
    const operation = begins ? event : invocation;
    if (operation?.f !== "acquire" && operation?.f !== "extend" && operation?.f !== "release") return;
    const name = this.#nameOf(operation.key, operation.process);
    const doings = this.#doings.get(name) ?? { asking: 0, releases: new Map<string, Releases>(), forgottenUpTo: -1 };
    if (operation.f === "release") this.#count(doings, operation.value.owner, begins ? 1 : -1, event.index);
    else doings.asking += begins ? 1 : -1;
    if (doings.asking === 0) forgetAnswered(doings);
    if (doings.asking === 0 && doings.releases.size === 0) this.#doings.delete(name);
    else this.#doings.set(name, doings);
  }

  /**
   * Whether a release of this owner value may have come after the grant or the extension that is answered: its client had one under
   * way, or was told that its lease is gone; or, by a coarse clock, any client began one at the same time, and the value may have
   * been handed to it just before, although the release seems to be older than the answer.
   */
  mayFollow(answer: CompletionEvent, { index }: InvocationEvent, owner: string): boolean {
    const { key, process, time } = answer;
    const isAtOnce = time === this.#time && this.#atOnce.has(ownerName(key, owner));
    const { open = 0, last = -1 } = this.#handedOn.get(ownerName(key, owner)) ?? {};
    const isHandedOn = open > 0 || last > index;
    return isHandedOn || (BESIDE_OTHERS in answer && isAtOnce) || this.#anySince(index, key, process, owner);
  }

  /**
   * Whether the client of this process had a release of this owner value under way after this event, or was told that its
   * lease is gone.
   */
  #anySince(index: number, key: string, process: number, owner: string): boolean {
    const doings = this.#doings.get(this.#nameOf(key, process));
    if (doings === undefined) return false;
    const { open = 0, last = -1 } = doings.releases.get(owner) ?? {};
    return open > 0 || Math.max(last, doings.forgottenUpTo) > index;
  }

  #settle(process: number, index: number): void {
    const place = this.#handed.get(process);
    this.#handed.delete(process);
    const known = place === undefined ? undefined : this.#handedOn.get(place);
    if (place !== undefined && known !== undefined) this.#handedOn.set(place, { open: known.open - 1, last: index });
  }

  #count(doings: Doings, owner: string, by: number, last: number): void {
    const { releases } = doings;
    const open = (releases.get(owner)?.open ?? 0) + by;
    releases.delete(owner);
    releases.set(owner, { open, last });
    const [oldest] = releases;
    if (releases.size <= REMEMBERED || oldest === undefined) return;
    releases.delete(oldest[0]);
    doings.forgottenUpTo = Math.max(doings.forgottenUpTo, oldest[1].last);
  }

  #nameOf(key: string, process: number): string {
    return this.#clients === undefined ? key : `${clientOf(process, this.#clients)} ${key}`;
  }
}

function forgetAnswered({ releases }: Doings): void {
  for (const [owner, { open }] of releases) if (open <= 0) releases.delete(owner);
}
