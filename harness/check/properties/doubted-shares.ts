import type { Hold, HoldTracker } from "../../history/holds.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { conflictsOf, rivalsOf } from "../evidence/overlaps.ts";
import type { PossibleShares } from "../evidence/possible-shares.ts";
import { timeWords } from "../words.ts";

/** How many such holds are remembered. */
const REMEMBERED = 1000;

/** Holds that excluded each other as they were granted. */
interface Doubt {
  readonly earlier: readonly Hold[];
  readonly second: Hold;
  readonly wereInForce: boolean;
}

/**
 * Holds that exclude each other unless an acquire of unknown outcome entered one of them once more, for less, in a history that does
 * not say how many clients ran: if that acquire is of another client, the lock was granted twice.
 */
export class DoubtedShares {
  readonly #isPromise: boolean;
  /** Keys of which a hold may have been entered so. */
  readonly #keys = new Set<string>();
  readonly #doubts: Doubt[] = [];

  /** @param isPromise whether a lease in force counts as a hold, and not only what a client means to hold */
  constructor(isPromise: boolean) {
    this.#isPromise = isPromise;
  }

  /** Why the property is not decided, if so, as far as is known now. */
  get reason(): string | undefined {
    const decisive = this.#doubts.find(({ earlier, second, wereInForce }) =>
      this.#isPromise ? wereInForce : earlier.every(({ lastSignIndex }) => lastSignIndex > second.grantedIndex),
    );
    return decisive === undefined ? undefined : inWords(decisive);
  }

  push({ changes }: HistoryStep, holds: HoldTracker): void {
    if (holds.lineage.knowsClients) return;
    for (const { kind, hold } of changes) if (kind === "granted") this.#granted(hold, holds);
  }

  #granted(second: Hold, holds: HoldTracker): void {
    const { key, grantedTime } = second;
    if (second.shareAsStated !== undefined) this.#keys.add(key);
    if (!this.#keys.has(key) || this.#doubts.length >= REMEMBERED) return;
    const rivals = rivalsOf(second, holds.latest(key));
    const sameClient = (earlier: number, later: number): boolean => holds.sameClient(earlier, later);
    if (conflictsOf(second, rivals, sameClient, new Map()).length > 0) return;
    for (const earlier of conflictsOf(second, rivals, sameClient, sharesAsStated([second, ...rivals]))) {
      const wereInForce = [...earlier, second].every(({ leaseEnd }) => leaseEnd > grantedTime);
      this.#doubts.push({ earlier, second, wereInForce });
    }
  }
}

function sharesAsStated(holds: readonly Hold[]): PossibleShares {
  return new Map(
    holds.flatMap((hold) =>
      hold.shareAsStated === undefined || hold.depth > 1
        ? []
        : [[hold, { share: hold.shareAsStated, requests: [] }] as const],
    ),
  );
}

function inWords({ earlier, second }: Doubt): string {
  const processes = [...earlier, second].map(({ process }) => process);
  return (
    `processes ${processes.slice(0, -1).join(", ")} and ${processes.at(-1)} held ${second.key} together from ${timeWords(second.grantedTime)} on, ` +
    "and must not, unless an acquire of unknown outcome by another process is of one of their clients and left it with less: the history does " +
    "not say which processes are one client. Add `clients`, the number of clients, to its first line, and give the processes of one client " +
    "numbers that differ by multiples of it"
  );
}
