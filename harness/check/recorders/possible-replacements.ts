import { isOtherMode, type Share, shareOf } from "../../core/sharing.ts";
import type { HistoryEvent } from "../../history/history.ts";
import type { Hold, HoldTracker } from "../../history/holds.ts";
import { mayRenew } from "../../history/holds/repeated-acquire.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { type InvocationEvent, OpenOperations } from "../../history/operations.ts";

/** Of so many keys it is remembered which acquires may have replaced an owner value, and of each key as many of them. */
const REMEMBERED_KEYS = 10_000;
const REMEMBERED_OF_KEY = 64;

type Acquire = Extract<InvocationEvent, { f: "acquire" }>;
type Grant = Extract<HistoryEvent, { f: "acquire"; type: "ok" }>;

interface Replacement {
  readonly process: number;
  readonly index: number;
  readonly time: number;
  readonly share: Share;
  readonly mayRenew: boolean;
  /** The owner value that it was granted; undefined if nobody knows. */
  owner: string | undefined;
}

/**
 * Acquires after which an older owner value of their client may refer to nothing: a reader that becomes a writer, or the other way
 * round, may go on under another value, or give up its older hold first; and an acquire that may renew a lease may have drawn
 * another value that nobody was told.
 */
export class PossibleReplacements {
  readonly #holds: HoldTracker;
  readonly #open = new OpenOperations();
  readonly #byKey = new OldestFirst<string, Replacement[]>(REMEMBERED_KEYS);

  constructor(holds: HoldTracker) {
    this.#holds = holds;
  }

  push(event: HistoryEvent): void {
    if (event.type === "invoke" && event.f === "acquire") this.#ask(event);
    const invocation = this.#open.push(event);
    if (invocation?.f !== "acquire") return;
    const among = this.#byKey.get(invocation.key) ?? [];
    const asked = among.find(({ index }) => index === invocation.index);
    if (asked === undefined || event.type === "info") return;
    if (event.type !== "ok" || event.f !== "acquire" || !this.#isChange(event, asked)) {
      this.#drop(invocation.key, asked);
      return;
    }
    asked.owner = event.value.owner;
  }

  /** Whether its client has a hold of the other mode under another owner value. */
  #isChange({ key, process, value }: Grant, { share }: Replacement): boolean {
    if (share.kind === "counted") return false;
    const own = this.#holds.possiblyOfClient(key, process);
    return own.some((hold) => hold.owner !== value.owner && (hold.hasTwoModes || isOtherMode(hold.share, share)));
  }

  /** The earliest of these acquires that may concern this hold: since its invocation. */
  since(hold: Hold): Pick<Replacement, "index" | "time"> | undefined {
    return this.#byKey.get(hold.key)?.find((replacement) => this.#mayReplace(replacement, hold));
  }

  conclude(key: string): void {
    this.#byKey.delete(key);
  }

  #mayReplace({ process, index, share, owner, mayRenew: renews }: Replacement, hold: Hold): boolean {
    if (owner === hold.owner || index === hold.invokedIndex) return false;
    const { lineage } = this.#holds;
    const { currentProcess } = hold;
    if (!lineage.mayContinue(currentProcess, process) && !lineage.mayContinue(process, currentProcess)) return false;
    const isOther = hold.hasTwoModes || isOtherMode(hold.share, share);
    return isOther || (renews && owner === undefined);
  }

  #ask(acquire: Acquire): void {
    const { key, process, index, time, value } = acquire;
    const among = this.#byKey.get(key) ?? [];
    among.push({ process, index, time, share: shareOf(value), mayRenew: mayRenew(acquire), owner: undefined });
    if (among.length > REMEMBERED_OF_KEY) among.shift();
    this.#byKey.set(key, among);
  }

  #drop(key: string, asked: Replacement): void {
    const among = (this.#byKey.get(key) ?? []).filter((other) => other !== asked);
    if (among.length === 0) this.#byKey.delete(key);
    else this.#byKey.replace(key, among);
  }
}
