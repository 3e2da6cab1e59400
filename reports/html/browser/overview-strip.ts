import { CanvasSheet } from "./canvas-sheet.ts";
import { type Palette, readPalette } from "./palette.ts";
import type { RunModel } from "./run-model.ts";
import { gutterOf } from "./scene.ts";
import { wholeView, type TimeView } from "./time-view.ts";

/** The whole run in a narrow strip: activity, faults, violations, and the part that the timeline shows. */
export class OverviewStrip {
  readonly #model: RunModel;
  readonly #sheet: CanvasSheet;
  #view: TimeView;
  #counted: readonly number[] = [];
  /** The whole run, painted: only the frame around what is shown moves. */
  #still: { readonly canvas: HTMLCanvasElement; readonly name: string } | undefined;

  /** @param pick receives the time at the reader's pointer, the middle of the new view */
  constructor(canvas: HTMLCanvasElement, model: RunModel, pick: (time: number) => void) {
    this.#model = model;
    this.#view = wholeView(model.data.end);
    this.#sheet = new CanvasSheet(canvas, (context, width, height) => this.#paint(context, width, height));
    const point = (event: PointerEvent): void => {
      const box = canvas.getBoundingClientRect();
      const gutter = gutterOf(box.width);
      const share = (event.clientX - box.left - gutter) / (box.width - gutter);
      pick(Math.max(0, Math.min(1, share)) * wholeView(model.data.end).to);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      point(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) point(event);
    });
  }

  show(view: TimeView): void {
    this.#view = view;
    this.#sheet.repaint();
  }

  #paint(context: CanvasRenderingContext2D, width: number, height: number): void {
    const palette = readPalette();
    const gutter = gutterOf(width);
    const whole = wholeView(this.#model.data.end);
    const x = (time: number): number => gutter + (time / whole.to) * (width - gutter);
    context.clearRect(0, 0, width, height);
    context.drawImage(this.#painted(width, height, palette), 0, 0, width, height);
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    const [left, right] = [x(this.#view.from), x(this.#view.to)];
    context.strokeRect(left + 1, 1, Math.max(3, right - left - 2), height - 2);
  }

  /** The run without the frame, drawn again only when the size or the colours change. */
  #painted(width: number, height: number, palette: Palette): HTMLCanvasElement {
    const ratio = window.devicePixelRatio || 1;
    const name = JSON.stringify([width, height, ratio, palette]);
    if (this.#still?.name === name) return this.#still.canvas;
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    this.#still = { canvas, name };
    const context = canvas.getContext("2d");
    if (context === null) return canvas;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#paintRun(context, { width, height, palette });
    return canvas;
  }

  #paintRun(
    context: CanvasRenderingContext2D,
    { width, height, palette }: { readonly width: number; readonly height: number; readonly palette: Palette },
  ): void {
    const gutter = gutterOf(width);
    const whole = wholeView(this.#model.data.end);
    const x = (time: number): number => gutter + (time / whole.to) * (width - gutter);
    const density = this.#density(Math.max(1, Math.floor(width - gutter)), whole.to);
    const most = Math.max(1, ...density);
    context.fillStyle = palette.note;
    density.forEach((count, column) => {
      const bar = Math.sqrt(count / most) * (height - 8);
      context.fillRect(gutter + column, height - bar, 1, bar);
    });
    context.globalAlpha = 0.28;
    context.fillStyle = palette.fault;
    for (const { from, to, outcome } of this.#model.data.faults) {
      if (outcome !== "skipped") context.fillRect(x(from), 0, Math.max(2, x(to) - x(from)), height);
    }
    context.globalAlpha = 1;
    context.fillStyle = palette.bad;
    for (const { overlap, from } of this.#model.data.violations) {
      const [start, end] = [overlap?.from ?? from, overlap?.to ?? from];
      context.fillRect(x(start) - 1, 0, Math.max(3, x(end) - x(start)), height);
    }
    context.fillStyle = palette.soft;
    context.font = "11px system-ui, sans-serif";
    context.fillText("whole run", 9, height / 2 + 4);
  }

  #density(columns: number, end: number): readonly number[] {
    if (this.#counted.length === columns) return this.#counted;
    const counts = Array.from({ length: columns }, () => 0);
    for (const { time } of this.#model.data.events) {
      const column = Math.min(columns - 1, Math.floor((time / end) * columns));
      counts[column] = (counts[column] ?? 0) + 1;
    }
    this.#counted = counts;
    return counts;
  }
}
