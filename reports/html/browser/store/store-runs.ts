import { replayCommandOf } from "../../../../harness/core/words/shell-word.ts";
import type { ListedRun } from "../../store-listing.ts";
import { readStoreFilter, ROWS_AT_ONCE, runFilter, type StoreFilter, storeFilterText } from "./store-filter.ts";
import { inFigures } from "../../../../harness/core/words/in-figures.ts";

/** A run with the text that is searched, made when it is first searched. */
interface ShownRun {
  readonly run: ListedRun;
  text?: string;
}

/** The table of runs: filtered by its form, which the address follows and may set, and a page of it at a time. */
export class StoreRuns {
  readonly #store: string;
  readonly #form: HTMLFormElement;
  readonly #body: HTMLElement;
  readonly #count: HTMLElement;
  readonly #pages: HTMLElement;
  #runs: readonly ShownRun[] = [];
  #filter: StoreFilter = readStoreFilter(location.hash);

  constructor(store: string, runs: readonly ListedRun[]) {
    this.#store = store;
    this.#form = found("form.filter", HTMLFormElement);
    this.#body = found("tbody.runs", HTMLElement);
    this.#count = found("output.count", HTMLElement);
    this.#pages = found(".pages", HTMLElement);
    this.#form.addEventListener("input", () => {
      const [verdict = "", lock = "", words = ""] = ["verdict", "lock", "words"].map((name) => this.#field(name).value);
      this.#show({ verdict, lock, words, page: 1 });
    });
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    for (const [name, step] of [
      [".newer", -1],
      [".older", 1],
    ] as const) {
      found(name, HTMLElement).addEventListener("click", () => {
        this.#show({ ...this.#filter, page: this.#filter.page + step });
        this.#form.scrollIntoView({ block: "start" });
      });
    }
    addEventListener("hashchange", () => this.#followAddress());
    this.replace(runs);
    this.#followAddress();
  }

  /** Shows other runs, the newest first, with the same filter. */
  replace(runs: readonly ListedRun[]): void {
    const known = new Map(this.#runs.map((shown) => [shown.run.folder, shown]));
    this.#runs = runs.map((run) => {
      const before = known.get(run.folder);
      return before?.run.verdict === run.verdict && before.run.hasReport === run.hasReport ? before : { run };
    });
    this.#offerLocks();
    this.#render();
  }

  #field(name: string): HTMLInputElement | HTMLSelectElement {
    return found(`form.filter [name="${name}"]`, HTMLElement) as HTMLInputElement | HTMLSelectElement;
  }

  #followAddress(): void {
    this.#filter = readStoreFilter(location.hash);
    for (const name of ["verdict", "lock", "words"] as const) this.#field(name).value = this.#filter[name];
    this.#render();
  }

  #show(filter: StoreFilter): void {
    this.#filter = filter;
    history.replaceState(null, "", storeFilterText(filter));
    this.#render();
  }

  #offerLocks(): void {
    const choice = this.#field("lock");
    const offered = new Set([...choice.querySelectorAll("option")].map(({ textContent }) => textContent));
    const missing = [...new Set(this.#runs.map(({ run }) => run.lock))].filter((lock) => !offered.has(lock)).sort();
    for (const lock of missing) choice.append(Object.assign(document.createElement("option"), { textContent: lock }));
    choice.value = this.#filter.lock;
  }

  #render(): void {
    const isShown = runFilter(this.#filter);
    const isSearched = this.#filter.words.trim() !== "";
    const shown = this.#runs.filter((each) => {
      if (isSearched) each.text ??= textOf(each.run);
      return isShown({ verdict: each.run.verdict, lock: each.run.lock, text: each.text ?? "" });
    });
    const last = Math.max(1, Math.ceil(shown.length / ROWS_AT_ONCE));
    const page = Math.min(this.#filter.page, last);
    this.#filter = { ...this.#filter, page };
    const from = (page - 1) * ROWS_AT_ONCE;
    const rows = shown.slice(from, from + ROWS_AT_ONCE).map(({ run }) => row(run, this.#store));
    this.#body.replaceChildren(...rows);
    this.#count.textContent = `${inFigures(shown.length)} of ${inFigures(this.#runs.length)} runs`;
    this.#pages.hidden = last === 1;
    found(".page-number", HTMLElement).textContent =
      `Runs ${inFigures(from + 1)} to ${inFigures(from + rows.length)} of ${inFigures(shown.length)}`;
    found(".newer", HTMLButtonElement).disabled = page === 1;
    found(".older", HTMLButtonElement).disabled = page === last;
  }
}

function found<T extends HTMLElement>(selector: string, type: new () => T): T {
  const element = document.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`the page lacks ${selector}`);
}

/** All that the row of a run says. */
function textOf({ title, verdict, causes, lock, topology, backend, seed, faults, began, folder }: ListedRun): string {
  return [title, verdict, ...causes, lock, topology, backend, `seed ${seed}`, ...faults, began, folder]
    .join(" ")
    .toLowerCase();
}

/** The same row as `store-page.ts` writes. */
function row(run: ListedRun, store: string): HTMLTableRowElement {
  const { folder, began, title, verdict, lock, topology, backend, seed, faults, causes, hasReport } = run;
  const made = document.createElement("tr");
  const cell = (content: string | Node, name?: string): void => {
    const td = document.createElement("td");
    if (name !== undefined) td.className = name;
    td.append(content);
    made.append(td);
  };
  cell(verdict, verdict);
  cell(hasReport ? linkTo(`${folder}/report.html`, title) : title);
  cell(causes.join(", "));
  cell(`${lock} on ${topology}, ${backend}`);
  cell(faults.length === 0 ? "none" : faults.join(", "));
  cell(`${began}${seed === undefined ? "" : `, seed ${seed}`}`);
  cell(
    Object.assign(document.createElement("code"), { textContent: replayCommandOf(`${store}/${folder}/plan.json`) }),
    "again",
  );
  return made;
}

/** A path within the store as a link: no name of a folder leads out of it. */
export function linkTo(path: string, text: string): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = path.split("/").map(encodeURIComponent).join("/");
  link.textContent = text;
  return link;
}
