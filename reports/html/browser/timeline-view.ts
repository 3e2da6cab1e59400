import { CanvasSheet } from "./canvas-sheet.ts";
import { layLanes, totalHeight, type LanePlace } from "./lane-layout.ts";
import type { RunData } from "../page-data.ts";
import { readPalette } from "./palette.ts";
import { paintTimeline } from "./paint-timeline.ts";
import type { Item, RunModel } from "./run-model.ts";
import { AXIS_HEIGHT, gutterOf, itemAt, laneAt, timeAt, type Scene } from "./scene.ts";
import { clampView, viewAround, wholeView, zoomView, type TimeView } from "./time-view.ts";

/** The timeline's events for the page that contains it. */
export interface TimelineListener {
  selected(item: Item | undefined): void;
  hovered(item: Item | undefined, x: number, y: number): void;
  /** The pointer's position: the true time and the lane, or undefined outside. */
  pointed(time: number | undefined, lane: number | undefined): void;
  moved(view: TimeView): void;
}

/** An overlap is given at least this share of the timeline. */
const LEAST_SHARE = 1 / 12;

/** The stretch of a violation's story; where its overlap could not be seen in that, the overlap and a little around it. */
function visibleStretch({ from, to, overlap }: RunData["violations"][number]): TimeView {
  if (overlap === undefined) return { from, to };
  const length = overlap.to - overlap.from;
  if (length >= (to - from) * LEAST_SHARE) return { from, to };
  const air = (length / LEAST_SHARE - length) / 2;
  return { from: overlap.from - air, to: overlap.to + air };
}

/** How far a pointer moves before it drags rather than clicks, in pixels. */
const DRAG = 4;

/** The zoomable timeline of a run: a canvas in a frame that scrolls through the lanes. */
export class TimelineView {
  readonly #model: RunModel;
  readonly #frame: HTMLElement;
  readonly #spacer: HTMLElement;
  readonly #sheet: CanvasSheet;
  readonly #listener: TimelineListener;
  #view: TimeView;
  #places: readonly LanePlace[];
  #matching: Uint8Array | undefined;
  #selected: Item | undefined;
  #hovered: Item | undefined;
  #focusedLane: number | undefined;
  #cursor: number | undefined;
  #marked: TimeView | undefined;

  /** @param frame scrolls; holds a spacer as high as all lanes, and in it the canvas */
  constructor(frame: HTMLElement, canvas: HTMLCanvasElement, model: RunModel, listener: TimelineListener) {
    this.#frame = frame;
    this.#spacer = canvas.parentElement ?? frame;
    this.#model = model;
    this.#listener = listener;
    this.#view = wholeView(model.data.end);
    this.#places = layLanes(model.lanes, new Set());
    this.#sheet = new CanvasSheet(canvas, (context, width, height) =>
      paintTimeline(context, this.#scene(width, height), readPalette()),
    );
    this.#fit();
    frame.addEventListener("scroll", () => this.#sheet.repaint(), { passive: true });
    this.#listenToPointer(canvas);
  }

  get view(): TimeView {
    return this.#view;
  }

  get selected(): Item | undefined {
    return this.#selected;
  }

  get places(): readonly LanePlace[] {
    return this.#places;
  }

  get cursor(): number | undefined {
    return this.#cursor;
  }

  /** Draws a line at an instant, and moves to it where it is not in view. */
  setCursor(time: number, { reveal = false } = {}): void {
    this.#cursor = time;
    const { from, to } = this.#view;
    const half = (to - from) / 2;
    if (reveal && (time < from || time > to)) this.show({ from: time - half, to: time + half });
    this.#sheet.repaint();
  }

  repaint(): void {
    this.#sheet.repaint();
  }

  show(view: TimeView): void {
    this.#view = clampView(view, this.#model.data.end);
    this.#sheet.repaint();
    this.#listener.moved(this.#view);
  }

  showAll(): void {
    this.show(wholeView(this.#model.data.end));
  }

  /** @param factor below 1 for closer; @param around a time that stays in its place, the middle when absent */
  zoom(factor: number, around = (this.#view.from + this.#view.to) / 2): void {
    this.show(zoomView(this.#view, factor, around, this.#model.data.end));
  }

  /** Moves by a share of the visible stretch; positive is later. */
  pan(share: number): void {
    const by = (this.#view.to - this.#view.from) * share;
    this.show({ from: this.#view.from + by, to: this.#view.to + by });
  }

  filter(matching: Uint8Array | undefined, hiddenLanes: ReadonlySet<number>): void {
    this.#matching = matching;
    this.#places = layLanes(this.#model.lanes, hiddenLanes);
    this.#fit();
    this.#sheet.repaint();
  }

  focusLane(lane: number | undefined): void {
    this.#focusedLane = lane;
    this.#sheet.repaint();
  }

  /** Selects an item and brings it into view, in time and among the lanes. */
  select(item: Item | undefined, { reveal = true } = {}): void {
    this.#selected = item;
    if (item !== undefined && reveal) this.#reveal(item);
    this.#sheet.repaint();
    this.#listener.selected(item);
  }

  #reveal(item: Item): void {
    const { from, to } = this.#view;
    if (item.from < from || item.from > to) {
      const half = (to - from) / 2;
      this.show({ from: item.from - half, to: item.from + half });
    }
    const place = this.#places.find(({ lane }) => lane.index === item.lane);
    if (place === undefined) return;
    const room = this.#frame.clientHeight - AXIS_HEIGHT;
    if (place.top < this.#frame.scrollTop) this.#frame.scrollTop = place.top;
    else if (place.top + place.height > this.#frame.scrollTop + room)
      this.#frame.scrollTop = place.top + place.height - room;
  }

  /** Zooms to a violation: its overlap, with enough around it to see the events that led to it. */
  showViolation(index: number): void {
    const violation = this.#model.data.violations[index];
    if (violation === undefined) return;
    this.show(viewAround(visibleStretch(violation), this.#model.data.end));
    const first = this.#places.find(({ lane }) => violation.lanes.includes(lane.index));
    if (first !== undefined) this.#frame.scrollTop = Math.max(0, first.top - 40);
  }

  #fit(): void {
    const height = totalHeight(this.#places) + AXIS_HEIGHT;
    this.#spacer.style.height = `${height}px`;
    const shown = `${Math.min(height, Math.max(260, Math.round(window.innerHeight * 0.62)))}px`;
    this.#frame.style.height = shown;
    this.#sheet.canvas.style.height = shown;
  }

  #scene(width: number, height: number): Scene {
    return {
      model: this.#model,
      view: this.#view,
      places: this.#places,
      width,
      height,
      scrollTop: this.#frame.scrollTop,
      matching: this.#matching,
      selected: this.#selected,
      hovered: this.#hovered,
      focusedLane: this.#focusedLane,
      cursor: this.#cursor,
      marked: this.#marked,
    };
  }

  #listenToPointer(canvas: HTMLCanvasElement): void {
    let down: { readonly x: number; readonly view: TimeView; readonly marks: boolean; dragging: boolean } | undefined;
    const sceneNow = (): Scene => this.#scene(canvas.clientWidth, canvas.clientHeight);
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      down = { x: event.offsetX, view: this.#view, marks: event.shiftKey, dragging: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (down !== undefined && Math.abs(event.offsetX - down.x) > DRAG && !down.dragging) {
        down.dragging = true;
        canvas.setPointerCapture(event.pointerId);
      }
      if (down?.dragging === true) {
        if (down.marks) this.#mark(timeAt(sceneNow(), down.x), timeAt(sceneNow(), event.offsetX));
        else this.#drag(down.view, down.x - event.offsetX, canvas.clientWidth);
        return;
      }
      const scene = sceneNow();
      this.#hover(itemAt(scene, event.offsetX, event.offsetY), event.offsetX, event.offsetY);
      const inside = event.offsetX >= gutterOf(scene.width);
      this.#listener.pointed(inside ? timeAt(scene, event.offsetX) : undefined, laneAt(scene, event.offsetY));
    });
    canvas.addEventListener("pointerup", (event) => {
      if (down?.dragging === false) this.select(itemAt(sceneNow(), event.offsetX, event.offsetY), { reveal: false });
      if (this.#marked !== undefined) this.show(this.#marked);
      this.#marked = undefined;
      down = undefined;
    });
    canvas.addEventListener("pointercancel", () => {
      down = this.#marked = undefined;
      this.#sheet.repaint();
    });
    canvas.addEventListener("pointerleave", () => {
      this.#hover(undefined, 0, 0);
      this.#listener.pointed(undefined, undefined);
    });
    canvas.addEventListener("dblclick", (event) => this.zoom(0.4, timeAt(sceneNow(), event.offsetX)));
    canvas.addEventListener("wheel", (event) => this.#wheel(event, timeAt(sceneNow(), event.offsetX)), {
      passive: false,
    });
  }

  /** Moves from where the drag began, by a number of pixels. */
  #drag(began: TimeView, pixels: number, width: number): void {
    const by = (pixels * (began.to - began.from)) / (width - gutterOf(width));
    this.show({ from: began.from + by, to: began.to + by });
  }

  /** Marks the stretch between two times, as far as it is shown. */
  #mark(one: number, other: number): void {
    const { from, to } = this.#view;
    this.#marked = { from: Math.max(from, Math.min(one, other)), to: Math.min(to, Math.max(one, other)) };
    this.#sheet.repaint();
  }

  #hover(item: Item | undefined, x: number, y: number): void {
    if (item !== this.#hovered) this.#sheet.repaint();
    this.#hovered = item;
    this.#listener.hovered(item, x, y);
  }

  /** With Ctrl (or a pinch) the wheel zooms, sideways it pans; otherwise the page scrolls as usual. */
  #wheel(event: WheelEvent, time: number): void {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))), time);
    else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) this.pan(sideways / 1000);
    else return;
    event.preventDefault();
  }
}
