import { inFigures } from "../../../harness/core/words/in-figures.ts";
import type { SpanFigures } from "./span-figures.ts";

/** How long the view must rest before its figures are counted anew, in milliseconds: moving stays smooth. */
const REST_MS = 120;

/** The table of figures below the timeline: brought up to date while it is open, once the view rests. */
export class FiguresTable {
  readonly #box: HTMLDetailsElement;
  readonly #body: HTMLElement;
  readonly #figures: () => readonly SpanFigures[];
  #due: ReturnType<typeof setTimeout> | undefined;

  /** @param box holds a `tbody` */
  constructor(box: HTMLDetailsElement, figures: () => readonly SpanFigures[]) {
    const body = box.querySelector("tbody");
    if (body === null) throw new Error("the page lacks the table of figures");
    this.#box = box;
    this.#body = body;
    this.#figures = figures;
    box.addEventListener("toggle", () => this.#show());
  }

  viewChanged(): void {
    clearTimeout(this.#due);
    this.#due = setTimeout(() => this.#show(), REST_MS);
  }

  #show(): void {
    if (!this.#box.open) return;
    this.#body.replaceChildren(...this.#figures().map(figuresRow));
  }
}

function figuresRow({ f, ok, refused, unanswered, latency }: SpanFigures): HTMLElement {
  const row = document.createElement("tr");
  const name = document.createElement("th");
  name.scope = "row";
  name.textContent = f;
  const ms = (ns: number | undefined): string => (ns === undefined ? "" : `${inFigures(ns / 1e6, 1)} ms`);
  const cells = [inFigures(ok), inFigures(refused), inFigures(unanswered), ms(latency?.median), ms(latency?.most)];
  row.append(name, ...cells.map(cellOf));
  return row;
}

function cellOf(words: string): HTMLElement {
  const cell = document.createElement("td");
  cell.textContent = words;
  return cell;
}
