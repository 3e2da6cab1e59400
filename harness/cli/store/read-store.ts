import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ListedCampaign, ListedRun, StoreListing } from "../../../reports/html/store-listing.ts";
import { journalFolder } from "../../campaign/campaign-journal.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { systemReason } from "../../core/system-reason.ts";
import { JournalFollower } from "./campaign-progress.ts";
import { isSettled, listedRun } from "./list-run.ts";
import { readOutcomes } from "./outcomes.ts";
import { readRunIndex, writeRunIndex } from "./run-index.ts";

/** The page of a store, in its folder. */
export const INDEX = "index.html";
/** How many runs are read before another is told, and others may do their work. */
const AT_ONCE = 250;

/**
 * Refuses a folder that is not there: a mistyped name would look like a store without runs.
 * @param otherwise what else the user may do
 * @throws UserError when there is no such store
 */
export function requireStore(store: string, otherwise = ""): void {
  if (existsSync(store)) return;
  throw new UserError(
    `there is no store ${store}`,
    `run something first: npx lockstorm reproduce async-failover${otherwise}`,
  );
}

/** A store that is listed again and again: only what is new in it is read. */
export class StoreReader {
  readonly #store: string;
  /** Runs of which nothing will change, by their folder. */
  readonly #settled: Map<string, ListedRun>;
  readonly #journals = new Map<string, JournalFollower>();
  #saved: number;

  /** @throws UserError when there is no such store */
  constructor(store: string) {
    requireStore(store);
    this.#store = store;
    this.#settled = new Map(readRunIndex(store));
    this.#saved = this.#settled.size;
  }

  /**
   * What the store holds. A run that cannot be read is listed with the reason and hides no other.
   * @param onStep called now and then with the number of runs that were read, of how many
   */
  async read(onStep: (done: number, all: number) => void = () => {}): Promise<StoreListing> {
    const store = this.#store;
    // Their names begin with the time.
    const names = namesIn(join(store, "runs")).toSorted().toReversed();
    const runs: ListedRun[] = [];
    const unreadable: { readonly folder: string; readonly why: string }[] = [];
    const toRead = names.filter((name) => !this.#settled.has(`runs/${name}`)).length;
    let read = 0;
    for (const name of names) {
      const folder = `runs/${name}`;
      const known = this.#settled.get(folder);
      if (known !== undefined) {
        runs.push(known);
        continue;
      }
      try {
        runs.push(this.#list(name));
      } catch (error) {
        unreadable.push({ folder, why: messageOf(error) });
      }
      read += 1;
      if (read % AT_ONCE !== 0) continue;
      onStep(read, toRead);
      await new Promise(setImmediate);
    }
    this.#keep(runs);
    return { store, runs, campaigns: this.#campaigns(), outcomes: readOutcomes(store), unreadable };
  }

  #list(name: string): ListedRun {
    const run = listedRun(this.#store, name);
    if (isSettled(this.#store, run)) this.#settled.set(run.folder, run);
    return run;
  }

  /** Writes down what is known, where it is much more than before: the next listing need not read it. */
  #keep(runs: readonly ListedRun[]): void {
    const settled = runs.filter(({ folder }) => this.#settled.has(folder));
    if (settled.length < this.#saved + AT_ONCE && settled.length >= this.#saved) return;
    try {
      writeRunIndex(this.#store, settled);
      this.#saved = settled.length;
    } catch (error) {
      // A store that cannot be written to is read again each time.
      if (!(error instanceof UserError)) throw error;
    }
  }

  /** Campaigns by their journals, and pages that have none. */
  #campaigns(): readonly ListedCampaign[] {
    const pages = namesIn(this.#store).filter((name) => name.endsWith(".html") && name !== INDEX);
    const journals = namesIn(journalFolder(this.#store)).filter((name) => name.endsWith(".jsonl"));
    const campaigns = journals.map((file): ListedCampaign => {
      const name = file.replace(/\.jsonl$/, "");
      return { name, ...this.#progressOf(file), page: pages.find((each) => each === `${name}.html`) };
    });
    const others = pages.filter((page) => !campaigns.some((each) => each.page === page));
    return [...campaigns, ...others.map((page) => ({ name: page.replace(/\.html$/, ""), about: "a page", page }))];
  }

  #progressOf(file: string): Pick<ListedCampaign, "about" | "done" | "wanted"> {
    const follower = this.#journals.get(file) ?? new JournalFollower(join(journalFolder(this.#store), file));
    this.#journals.set(file, follower);
    try {
      return follower.progress();
    } catch (error) {
      return { about: `not readable: ${messageOf(error)}` };
    }
  }
}

/** The names in a folder; none when it is not there. @throws UserError when it cannot be read */
function namesIn(folder: string): readonly string[] {
  try {
    return existsSync(folder) ? readdirSync(folder).toSorted() : [];
  } catch (error) {
    throw new UserError(`${folder} cannot be read: ${systemReason(error)}`, "name a store", { cause: error });
  }
}
