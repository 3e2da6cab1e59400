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
  readonly seed?: number | undefined;
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
  /** How many runs or cells are done, and how many there should be, where that is known. */
  readonly done?: number | undefined;
  readonly wanted?: number | undefined;
  /** The file of its page within the store; absent while there is none. */
  readonly page?: string | undefined;
}

/** What a finished campaign came to. */
export interface ListedOutcome {
  readonly name: string;
  /** When it ended, in UTC: `2026-01-31 12:00:00`. */
  readonly at: string;
  /** The commit that was checked out; absent where there was none. */
  readonly commit?: string | undefined;
  readonly cells: readonly {
    readonly lock: string;
    readonly fault: string;
    readonly found: string;
    readonly runs?: number | undefined;
  }[];
}

/** What a store holds, the newest runs first. */
export interface StoreListing {
  readonly store: string;
  readonly runs: readonly ListedRun[];
  readonly campaigns: readonly ListedCampaign[];
  /** What campaigns came to, the oldest first. */
  readonly outcomes: readonly ListedOutcome[];
  /** Folders that could not be read as runs, with the reason. */
  readonly unreadable: readonly { readonly folder: string; readonly why: string }[];
}

/** What the page of a store carries for its script. */
export interface StoreData {
  readonly store: string;
  readonly runs: readonly ListedRun[];
}

/** What is new in a store since its page was made, or since the change before. */
export interface StoreChange {
  /** Runs that are new, or not what they were. */
  readonly runs: readonly ListedRun[];
  /** Folders of runs that were deleted. */
  readonly gone: readonly string[];
  /** All campaigns. */
  readonly campaigns: readonly ListedCampaign[];
}
