/** A recorded run, as the page of a store lists it. */
export interface ListedRun {
  /** Its folder within the store, with slashes: `runs/2026-01-31T12-00-00-1`. */
  readonly folder: string;
  /** When it began, in UTC, by the name of its folder: `2026-01-31 12:00:00`. */
  readonly began: string;
  readonly title: string;
  /** `unfinished`: it has no verdict, because it is not over or was cut short. */
  readonly verdict: "valid" | "invalid" | "unknown" | "unfinished";
  readonly lock: string;
  readonly topology: string;
  readonly backend: string;
  readonly seed: number | undefined;
  /** The faults of its plan, in order. */
  readonly faults: readonly string[];
  /** The causes of its violations, each once. */
  readonly causes: readonly string[];
  /** Whether it has a `report.html`. */
  readonly hasReport: boolean;
}

/** A hunt, a table or an exploration, or another page in a store. */
export interface ListedCampaign {
  readonly name: string;
  /** What it did, in a few words: `table of locks by faults: 6 cells`. */
  readonly about: string;
  /** The file of its page within the store; absent while there is none. */
  readonly page?: string | undefined;
}

/** What a store holds, the newest runs first. */
export interface StoreListing {
  readonly store: string;
  readonly runs: readonly ListedRun[];
  readonly campaigns: readonly ListedCampaign[];
  /** Folders that could not be read as runs, with the reason. */
  readonly unreadable: readonly { readonly folder: string; readonly why: string }[];
}
