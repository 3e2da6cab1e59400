/** Which runs the page of a store shows; an empty text asks for nothing. */
export interface StoreFilter {
  readonly verdict: string;
  readonly lock: string;
  readonly words: string;
}

/** What a row says of its run. */
interface RowFacts {
  readonly verdict: string;
  readonly lock: string;
  readonly text: string;
}

const FIELDS = ["verdict", "lock", "words"] as const;

/** Reads what follows `#` in the address: `#verdict=invalid&lock=redlock&words=failover`. */
export function readStoreFilter(hash: string): StoreFilter {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  return { verdict: asked.get("verdict") ?? "", lock: asked.get("lock") ?? "", words: asked.get("words") ?? "" };
}

/** The address that `readStoreFilter` reads; only `#` when everything is shown. */
export function storeFilterText(filter: StoreFilter): string {
  const asked = new URLSearchParams();
  for (const field of FIELDS) if (filter[field] !== "") asked.set(field, filter[field]);
  return `#${asked.toString()}`;
}

/** Whether a run is shown: it has the verdict and the lock, and every word somewhere. */
export function isShown({ verdict, lock, text }: RowFacts, filter: StoreFilter): boolean {
  const words = filter.words.toLowerCase().split(/\s+/);
  return (
    (filter.verdict === "" || filter.verdict === verdict) &&
    (filter.lock === "" || filter.lock === lock) &&
    words.every((word) => text.toLowerCase().includes(word))
  );
}

/** Filters the page's table by its form, which the address follows and may set. */
export function startStoreFilter(): void {
  const form = document.querySelector<HTMLFormElement>("form.filter");
  const count = document.querySelector("output.count");
  if (form === null || count === null) return;
  const rows = [...document.querySelectorAll<HTMLTableRowElement>("tbody.runs tr")];
  const fieldOf = (name: string): HTMLInputElement | HTMLSelectElement | null =>
    form.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${name}"]`);
  const apply = (filter: StoreFilter): void => {
    let shown = 0;
    for (const row of rows) {
      const { verdict = "", lock = "" } = row.dataset;
      row.hidden = !isShown({ verdict, lock, text: row.textContent }, filter);
      if (!row.hidden) shown += 1;
    }
    count.textContent = `${shown} of ${rows.length} runs`;
  };
  const fromAddress = (): void => {
    const filter = readStoreFilter(location.hash);
    for (const name of FIELDS) {
      const field = fieldOf(name);
      if (field !== null) field.value = filter[name];
    }
    apply(filter);
  };
  form.addEventListener("input", () => {
    const [verdict = "", lock = "", words = ""] = FIELDS.map((name) => fieldOf(name)?.value ?? "");
    history.replaceState(null, "", storeFilterText({ verdict, lock, words }));
    apply({ verdict, lock, words });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", fromAddress);
  fromAddress();
}
