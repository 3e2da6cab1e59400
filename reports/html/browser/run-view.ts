import { BeliefPanel } from "./beliefs/belief-panel.ts";
import { Beliefs } from "./beliefs/beliefs-at.ts";
import { EVERYTHING, EventFilter, isFiltering, type FilterChoice } from "./event-filter.ts";
import { EventTable } from "./event-table.ts";
import { FiguresTable } from "./figures-table.ts";
import { fillDetails, placeTooltip, summaryOf } from "./item-details.ts";
import { OverviewStrip } from "./overview-strip.ts";
import { type AddressPart, writeAddress } from "./page-address.ts";
import { clockOffset, loadRun, type Item, type RunModel } from "./run-model.ts";
import { listenToKeys } from "./timeline-keys.ts";
import { figuresOf } from "./span-figures.ts";
import { stepThrough, type StorySteps } from "./story-steps.ts";
import { TimelineView } from "./timeline-view.ts";
import type { TimeView } from "./time-view.ts";
import { inFigures } from "../../../harness/core/words/in-figures.ts";

/** Beyond this number, lanes are folded, except those that matter. */
const MOST_LANES = 10;

/**
 * Draws the section of one run and connects its controls.
 * @param place of the run within the page
 */
export async function openRun(section: HTMLElement, place: number): Promise<RunView> {
  const data = section.querySelector("script.run-data")?.textContent ?? "";
  const view = new RunView(section, place, await loadRun(data.trim()));
  section.dataset["ready"] = "true";
  document.addEventListener("themechange", () => view.repaint());
  return view;
}

/** The section of one run, with its timeline, its table of events and its stories. */
export class RunView {
  readonly #place: number;
  readonly #stories: ReadonlyMap<number, StorySteps>;
  readonly #section: HTMLElement;
  readonly #model: RunModel;
  readonly #timeline: TimelineView;
  readonly #overview: OverviewStrip;
  readonly #table: EventTable;
  readonly #filter: EventFilter;
  readonly #beliefs: Beliefs;
  readonly #panel: BeliefPanel;
  readonly #figures: FiguresTable;
  #choice: FilterChoice = EVERYTHING;
  #matches: readonly number[] = [];
  #violation = -1;
  #match = -1;

  constructor(section: HTMLElement, place: number, model: RunModel) {
    this.#section = section;
    this.#place = place;
    this.#stories = stepThrough(section, (story, moment) =>
      writeAddress({ run: place, part: { kind: "moment", story, moment } }),
    );
    this.#model = model;
    this.#filter = new EventFilter(model);
    this.#beliefs = new Beliefs(model);
    this.#panel = new BeliefPanel(this.#find(".beliefs-at"));
    this.#figures = new FiguresTable(this.#findAs(".figures", HTMLDetailsElement), () =>
      figuresOf(model, this.#timeline.view, this.#choice.hiddenLanes),
    );
    const frame = this.#find(".timeline-frame");
    const canvas = this.#findAs(".timeline-canvas", HTMLCanvasElement);
    const tooltip = this.#find(".tooltip");
    this.#overview = new OverviewStrip(this.#findAs(".overview-canvas", HTMLCanvasElement), model, (time) =>
      this.#centre(time),
    );
    this.#timeline = new TimelineView(frame, canvas, model, {
      selected: (item) => this.#selected(item),
      hovered: (item, x, y) => {
        placeTooltip(tooltip, item === undefined ? undefined : summaryOf(model, item), x, y);
      },
      pointed: (time, lane) => this.#pointed(time, lane),
      moved: (view) => this.#moved(view),
    });
    const table = this.#find(".event-frame");
    this.#table = new EventTable(table, this.#find(".event-body"), model, (event) => this.#showEvent(event, false));
    listenToKeys(frame, this.#timeline, model, {
      violation: (step) => this.#stepViolation(step),
      search: () => this.#findAs(".search", HTMLInputElement).focus(),
      instant: (step) => this.#stepInstant(step),
    });
    this.#listenToControls();
    fillDetails(this.#find(".details"), model, undefined);
    this.#foldLanes();
    this.#readBoxes();
    if (model.data.violations.length > 0) this.#stepViolation(1);
    else {
      this.#timeline.showAll();
      this.#moveCursor(0);
    }
  }

  /** Opens what an address names. */
  goTo(part: AddressPart): void {
    if (part.kind === "event") this.#goToEvent(part.event);
    else if (part.kind === "violation") this.#goToViolation(part.violation, true);
    else this.#stories.get(part.story)?.show(part.moment);
  }

  repaint(): void {
    this.#timeline.repaint();
    this.#overview.show(this.#timeline.view);
  }

  #find(selector: string): HTMLElement {
    return this.#findAs(selector, HTMLElement);
  }

  #findAs<T extends HTMLElement>(selector: string, type: new () => T): T {
    const found = this.#section.querySelector(selector);
    if (!(found instanceof type)) throw new Error(`the page lacks ${selector}`);
    return found;
  }

  #listenToControls(): void {
    const on = (selector: string, action: () => void): void =>
      this.#section.querySelector(selector)?.addEventListener("click", action);
    on(".zoom-in", () => this.#timeline.zoom(0.6));
    on(".zoom-out", () => this.#timeline.zoom(1 / 0.6));
    on(".zoom-all", () => this.#timeline.showAll());
    on(".earlier", () => this.#timeline.pan(-0.25));
    on(".later", () => this.#timeline.pan(0.25));
    on(".next-violation", () => this.#stepViolation(1));
    on(".previous-violation", () => this.#stepViolation(-1));
    on(".next-match", () => this.#stepMatch(1));
    on(".previous-match", () => this.#stepMatch(-1));
    const search = this.#findAs(".search", HTMLInputElement);
    search.addEventListener("input", () => this.#choose({ query: search.value }));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#stepMatch(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") this.#choose({ query: (search.value = "") });
    });
    for (const box of this.#section.querySelectorAll<HTMLInputElement>("input[data-hides]")) {
      box.addEventListener("change", () => this.#readBoxes());
    }
    for (const button of this.#section.querySelectorAll<HTMLElement>(".show-violation")) {
      button.addEventListener("click", () => {
        const violation = Number(button.dataset["violation"]);
        this.#goToViolation(violation, true);
        writeAddress({ run: this.#place, part: { kind: "violation", violation } });
      });
    }
    for (const button of this.#section.querySelectorAll<HTMLElement>(".show-event")) {
      button.addEventListener("click", () => this.#goToEvent(Number(button.dataset["event"])));
    }
    this.#section.querySelector(".all-lanes")?.addEventListener("click", () => {
      for (const box of this.#laneBoxes()) box.checked = true;
      this.#readBoxes();
    });
  }

  #laneBoxes(): readonly HTMLInputElement[] {
    return [...this.#section.querySelectorAll<HTMLInputElement>('input[data-hides^="lane:"]')];
  }

  /** Of many lanes only those are shown at first that a violation is about. */
  #foldLanes(): void {
    const { lanes, violations } = this.#model.data;
    const matter = new Set(violations.flatMap((violation) => violation.matter));
    if (lanes.length <= MOST_LANES || matter.size === 0) return;
    this.#laneBoxes().forEach((box, lane) => (box.checked = matter.has(lane)));
  }

  #goToEvent(event: number): void {
    const lane = this.#model.itemOf.get(event)?.lane;
    const box = this.#laneBoxes()[lane ?? -1];
    if (box !== undefined && !box.checked) {
      box.checked = true;
      this.#readBoxes();
    }
    this.#showEvent(event, true);
    this.#find(".timeline-frame").focus({ preventScroll: true });
    this.#find(".timeline-block").scrollIntoView({ block: "start" });
  }

  #readBoxes(): void {
    const hidden = { kind: new Set<string>(), type: new Set<string>(), lane: new Set<string>() };
    for (const box of this.#section.querySelectorAll<HTMLInputElement>("input[data-hides]")) {
      const [what, value = ""] = (box.dataset["hides"] ?? "").split(":");
      if (!box.checked && (what === "kind" || what === "type" || what === "lane")) hidden[what].add(value);
    }
    const folded = this.#section.querySelector<HTMLElement>(".all-lanes");
    if (folded !== null) {
      folded.hidden = hidden.lane.size === 0;
      folded.textContent = `Show ${hidden.lane.size} more ${hidden.lane.size === 1 ? "lane" : "lanes"}`;
    }
    this.#choose({
      hiddenKinds: hidden.kind,
      hiddenTypes: hidden.type,
      hiddenLanes: new Set([...hidden.lane].map(Number)),
    });
  }

  #choose(change: Partial<FilterChoice>): void {
    this.#choice = { ...this.#choice, ...change };
    this.#applyFilter();
  }

  #applyFilter(): void {
    this.#matches = this.#filter.matches(this.#choice);
    this.#match = -1;
    const mask = isFiltering(this.#choice) ? new Uint8Array(this.#model.data.events.length) : undefined;
    for (const index of this.#matches) if (mask !== undefined) mask[index] = 1;
    this.#timeline.filter(mask, this.#choice.hiddenLanes);
    this.#figures.viewChanged();
    this.#table.show(this.#matches);
    const all = this.#model.data.events.length;
    const words =
      this.#matches.length === all
        ? `${inFigures(all)} events`
        : `${inFigures(this.#matches.length)} of ${inFigures(all)} events`;
    this.#find(".match-count").textContent = words;
  }

  #stepMatch(step: number): void {
    if (this.#matches.length === 0) return;
    const from = this.#match < 0 && step < 0 ? 0 : this.#match;
    this.#match = (from + step + this.#matches.length) % this.#matches.length;
    this.#showEvent(this.#matches[this.#match] ?? 0, true);
  }

  #stepViolation(step: number): void {
    const count = this.#model.data.violations.length;
    if (count === 0) return;
    this.#goToViolation((Math.max(this.#violation, step < 0 ? 0 : -1) + step + count) % count, false);
  }

  #goToViolation(index: number, scroll: boolean): void {
    const violation = this.#model.data.violations[index];
    if (violation === undefined) return;
    this.#violation = index;
    this.#timeline.showViolation(index);
    this.#moveCursor(violation.overlap?.from ?? violation.from);
    const count = this.#model.data.violations.length;
    this.#find(".violation-name").textContent =
      `violation ${inFigures(index + 1)} of ${inFigures(count)}: ${violation.label}`;
    if (!scroll) return;
    this.#find(".timeline-frame").focus({ preventScroll: true });
    this.#find(".timeline-block").scrollIntoView({ block: "start" });
  }

  /** Selects the item of an event; `mark` scrolls the table to it as well. */
  #showEvent(event: number, mark: boolean): void {
    const item = this.#model.itemOf.get(event);
    if (item === undefined) return;
    this.#timeline.select(item);
    if (mark) this.#table.mark(event);
  }

  #selected(item: Item | undefined): void {
    if (item !== undefined) this.#moveCursor(item.from, { lane: item.lane, aloud: true });
    if (item !== undefined) writeAddress({ run: this.#place, part: { kind: "event", event: item.event } });
    fillDetails(this.#find(".details"), this.#model, item);
    if (item !== undefined && !this.#find(".event-frame").contains(document.activeElement))
      this.#table.mark(item.event);
  }

  #moved(view: TimeView): void {
    this.#overview.show(view);
    this.#figures.viewChanged();
    this.#find(".span-shown").textContent = `${inFigures(view.from / 1e6, 1)} to ${inFigures(view.to / 1e6, 1)} ms`;
  }

  /** The cursor follows the pointer, and stays where it left. */
  #pointed(time: number | undefined, lane: number | undefined): void {
    if (time !== undefined) this.#moveCursor(Math.max(0, Math.min(time, this.#model.data.end)), { lane });
  }

  /** Goes to the next instant at which something happened, or the one before. */
  #stepInstant(step: number): void {
    const { events } = this.#model.data;
    const now = this.#timeline.cursor ?? 0;
    const next = step > 0 ? events.find(({ time }) => time > now) : events.findLast(({ time }) => time < now);
    if (next === undefined) return;
    this.#timeline.setCursor(next.time, { reveal: true });
    this.#moveCursor(next.time, { aloud: true });
  }

  /** What each believes then, with the lane's wall clock where it is known to differ from true time. */
  #moveCursor(time: number, { lane, aloud = false }: { lane?: number | undefined; aloud?: boolean } = {}): void {
    const offset = lane === undefined ? 0 : clockOffset(this.#model, lane, time);
    const name = this.#model.data.lanes[lane ?? -1]?.name ?? "";
    const clock = offset === 0 ? "" : `, clock of ${name} ${inFigures((time + offset) / 1e6, 1)} ms`;
    this.#timeline.setCursor(time);
    this.#panel.show(time, clock, this.#beliefs.at(time, this.#choice.hiddenLanes), aloud);
  }

  #centre(time: number): void {
    const half = (this.#timeline.view.to - this.#timeline.view.from) / 2;
    this.#timeline.show({ from: time - half, to: time + half });
  }
}
