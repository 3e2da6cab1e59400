import { describeEvent, valuesOf, type RunModel } from "./run-model.ts";
import { inFigures } from "../../../harness/core/words/in-figures.ts";

const ROW = 28;
/** Rows beyond the visible ones, so that scrolling shows no blanks. */
const SPARE = 8;
/** Browsers cannot scroll further than about 33 million pixels; beyond this many rows only the first ones are shown. */
const MOST_ROWS = 1_000_000;

/** The events that match, as a table that contains only the visible rows. */
export class EventTable {
  readonly #frame: HTMLElement;
  readonly #body: HTMLElement;
  readonly #model: RunModel;
  readonly #select: (event: number) => void;
  #rows: readonly number[];
  #active = -1;
  readonly #id: string;

  /** @param frame scrolls, takes the focus, and holds `body` */
  constructor(frame: HTMLElement, body: HTMLElement, model: RunModel, select: (event: number) => void) {
    this.#frame = frame;
    this.#body = body;
    this.#model = model;
    this.#select = select;
    this.#id = body.id;
    this.#rows = model.data.events.map((_, index) => index);
    frame.addEventListener("scroll", () => this.#render(), { passive: true });
    frame.addEventListener("keydown", (event) => this.#key(event));
    body.addEventListener("click", (event) => {
      const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-place]") : null;
      if (row !== null) this.#activate(Number(row.dataset["place"]), true);
    });
    new ResizeObserver(() => this.#render()).observe(frame);
    this.show(this.#rows);
  }

  /** Shows these events, ascending. */
  show(events: readonly number[]): void {
    this.#rows = events.slice(0, MOST_ROWS);
    this.#active = -1;
    this.#body.style.height = `${this.#rows.length * ROW}px`;
    this.#frame.setAttribute("aria-rowcount", String(this.#rows.length + 1));
    this.#render();
  }

  /** Marks the row of an event and scrolls to it, if it is among those shown. */
  mark(event: number): void {
    this.#activate(this.#rows.indexOf(event), false);
  }

  #activate(place: number, tell: boolean): void {
    const event = this.#rows[place];
    if (event === undefined) return;
    this.#active = place;
    const [top, room] = [place * ROW, this.#frame.clientHeight - ROW];
    if (top < this.#frame.scrollTop) this.#frame.scrollTop = top;
    else if (top + ROW > this.#frame.scrollTop + room) this.#frame.scrollTop = top + ROW - room;
    this.#render();
    if (tell) this.#select(event);
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.#frame.clientHeight / ROW) - 1);
    const last = this.#rows.length - 1;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + page,
      PageUp: this.#active - page,
      Home: 0,
      End: last,
    };
    const place = moves[event.key];
    if (place === undefined || last < 0) return;
    event.preventDefault();
    this.#activate(Math.max(0, Math.min(last, place)), true);
  }

  #render(): void {
    const first = Math.max(0, Math.floor(this.#frame.scrollTop / ROW) - SPARE);
    const shown = Math.ceil(this.#frame.clientHeight / ROW) + 2 * SPARE;
    const rows = this.#rows.slice(first, first + shown).map((event, index) => this.#row(event, first + index));
    this.#body.replaceChildren(...rows);
    if (this.#active >= first && this.#active < first + shown) {
      this.#frame.setAttribute("aria-activedescendant", `${this.#id}-${this.#active}`);
    } else this.#frame.removeAttribute("aria-activedescendant");
  }

  #row(index: number, place: number): HTMLElement {
    const { events, laneOf, lanes } = this.#model.data;
    const row = document.createElement("div");
    row.id = `${this.#id}-${place}`;
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", String(place + 2));
    row.setAttribute("aria-selected", String(place === this.#active));
    row.dataset["place"] = String(place);
    row.style.transform = `translateY(${place * ROW}px)`;
    const event = events[index];
    if (event === undefined) return row;
    const lane = lanes[laneOf[index] ?? -1]?.name ?? "";
    row.className = `type-${event.type}`;
    const cells = [
      `#${index}`,
      inFigures(event.time / 1e6, 3),
      lane,
      event.type,
      describeEvent(event, lane),
      valuesOf(event),
    ];
    for (const text of cells) {
      const cell = document.createElement("span");
      cell.setAttribute("role", "gridcell");
      cell.textContent = text;
      cell.title = text;
      row.append(cell);
    }
    return row;
  }
}
