/** As many rows as are in the page at a time: a browser lays out no hundred thousand. */
export const ROWS_AT_ONCE = 100;

/** Which runs the page of a store shows; an empty text asks for nothing. */
export interface StoreFilter {
  readonly verdict: string;
  readonly lock: string;
  readonly words: string;
  /** Which page of them, from 1. */
  readonly page: number;
}

/** What a run is filtered by. */
interface RunFacts {
  readonly verdict: string;
  readonly lock: string;
  /** All that its row says, in small letters. */
  readonly text: string;
}

const FIELDS = ["verdict", "lock", "words"] as const;

/** Reads what follows `#` in the address: `#verdict=invalid&lock=redlock&words=failover&page=2`. */
export function readStoreFilter(hash: string): StoreFilter {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  const page = Number(asked.get("page") ?? 1);
  return {
    verdict: asked.get("verdict") ?? "",
    lock: asked.get("lock") ?? "",
    words: asked.get("words") ?? "",
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The address that `readStoreFilter` reads; only `#` when everything is shown from its beginning. */
export function storeFilterText(filter: StoreFilter): string {
  const asked = new URLSearchParams();
  for (const field of FIELDS) if (filter[field] !== "") asked.set(field, filter[field]);
  if (filter.page > 1) asked.set("page", String(filter.page));
  return `#${asked.toString()}`;
}

/** Decides whether a run is shown: it has the verdict and the lock, and every word somewhere. */
export function runFilter({ verdict, lock, words }: StoreFilter): (run: RunFacts) => boolean {
  const asked = words.toLowerCase().split(/\s+/);
  return (run) =>
    (verdict === "" || verdict === run.verdict) &&
    (lock === "" || lock === run.lock) &&
    asked.every((word) => run.text.includes(word));
}
