import { MergedBars } from "./merged-bars.ts";
import { stripsTop, type LanePlace } from "./lane-layout.ts";
import { hatch, type Palette } from "./palette.ts";
import type { HoldData } from "../page-data.ts";
import { opacityOf, visitDistinct } from "./distinct-items.ts";
import { clockOffset, type Item } from "./run-model.ts";
import { gutterOf, HOLD_ROW, OPERATION_ROW, rowOf, xOf, type Scene } from "./scene.ts";
import { offsetLabel } from "./time-view.ts";

/** The data needed to paint one lane. */
export interface LanePaint {
  readonly context: CanvasRenderingContext2D;
  readonly scene: Scene;
  readonly palette: Palette;
  readonly overrun: CanvasPattern | string;
  readonly faultFill: CanvasPattern | string;
}

export function lanePaint(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): LanePaint {
  const [overrun, faultFill] = [hatch(context, palette.overrun, 3), hatch(context, palette.fault, 1.2)];
  return { context, scene, palette, overrun, faultFill };
}

/** Marks nearer to one another than this many pixels could not be told apart. */
const MARK_ROOM = 4;
/** A bar that is narrower than this many pixels has no room for a word. */
const WORD_ROOM = 18;

/** Paints a lane: faults at the back, then holds and operations, marks in front. */
export function paintLane(paint: LanePaint, place: LanePlace): void {
  const { lane } = place;
  if (lane.kind === "node") paintNodeLine(paint, place);
  for (const fault of lane.faults) paintFault(paint, place, fault);
  paintClockSteps(paint, place);
  paintOperations(paint, place);
  paintHolds(paint, place);
  for (const series of lane.markSeries) {
    visitDistinct(paint.scene, series, (mark) => paintMark(paint, place, mark), MARK_ROOM);
  }
}

function paintNodeLine({ context, scene, palette }: LanePaint, { lane, top }: LanePlace): void {
  context.fillStyle = palette.line;
  context.fillRect(0, top + stripsTop(lane) / 2 - 1, scene.width, 2);
}

/** A fault is a named strip at the bottom of its lane, and a shade over the whole lane. */
function paintFault(paint: LanePaint, place: LanePlace, fault: Item): void {
  const { context, scene, palette, faultFill } = paint;
  if (!isVisible(scene, fault)) return;
  const row = rowOf(fault, place);
  const top = place.top + row.top;
  const [x, width] = extent(scene, fault, 2);
  const alpha = opacityOf(scene, fault);
  context.globalAlpha = alpha;
  if (fault.to === fault.from) {
    const promotion = fault.label === "promotion";
    const color = promotion ? palette.note : palette.fault;
    context.fillStyle = color;
    context.fillRect(x - 0.75, place.top + 2, 1.5, row.top - 2);
    diamond(context, x, top + row.height / 2, 6.5);
    label(paint, promotion ? "becomes master" : fault.label, x + 11, top + row.height - 3, Infinity, color);
  } else {
    context.globalAlpha = 0.1 * alpha;
    context.fillStyle = palette.fault;
    context.fillRect(x, place.top, width, place.height);
    context.globalAlpha = 0.55 * alpha;
    context.fillStyle = faultFill;
    context.fillRect(x, top, width, row.height);
    context.globalAlpha = alpha;
    const left = Math.max(x, gutterOf(scene.width)) + 4;
    const room = Math.min(x + width, scene.width) - left - 4;
    namePlate(paint, fault.label, left, top, row.height, room);
  }
  context.globalAlpha = 1;
}

/** A name on a plain background, so that it is readable on hatching. */
function namePlate(paint: LanePaint, text: string, x: number, top: number, height: number, room: number): void {
  const { context, palette } = paint;
  context.font = "11px system-ui, sans-serif";
  const { width } = context.measureText(text);
  if (width + 8 > room) return;
  context.fillStyle = palette.page;
  context.fillRect(x, top, width + 8, height);
  context.fillStyle = palette.fault;
  context.fillText(text, x + 4, top + height - 3);
}

/** How far the wall clock of this lane is ahead of true time from each step on. */
function paintClockSteps(paint: LanePaint, { lane, top }: LanePlace): void {
  const { context, scene, palette } = paint;
  for (const { lane: stepped, time } of scene.model.data.clockSteps) {
    if (stepped !== lane.index || time > scene.view.to) continue;
    const x = Math.max(gutterOf(scene.width), xOf(scene, time));
    const y = top + (lane.kind === "node" ? stripsTop(lane) / 2 : OPERATION_ROW.top + OPERATION_ROW.height + 3);
    context.fillStyle = palette.fault;
    context.fillRect(x, y - 1, scene.width - x, 2);
    label(
      paint,
      `clock ${offsetLabel(clockOffset(scene.model, lane.index, time))}`,
      x + 10,
      y - 3,
      Infinity,
      palette.fault,
      10,
    );
  }
}

/** Where holds are too dense to tell apart, those in the same pixel as the one before are skipped, overruns never. */
function paintHolds(paint: LanePaint, place: LanePlace): void {
  const { scene, context, palette } = paint;
  const bars = new MergedBars(context, { top: place.top + HOLD_ROW.top, height: HOLD_ROW.height });
  let last = -Infinity;
  for (const item of place.lane.holds) {
    if (item.hold === undefined || !isVisible(scene, item)) continue;
    const [x, width] = extent(scene, item, 2);
    const overran = (item.hold.lease.at(-1)?.to ?? item.from) < item.to || item.hold.lease.length > 1;
    if (!overran && x + width < last + 1) continue;
    last = Math.max(last, x + width);
    if (overran || width >= WORD_ROOM) {
      bars.paint();
      paintHold(paint, place, item, item.hold, overran);
    } else bars.add(x, width, palette.lease, opacityOf(scene, item));
  }
  bars.paint();
  context.globalAlpha = 1;
}

function paintHold(paint: LanePaint, place: LanePlace, item: Item, hold: HoldData, overran: boolean): void {
  const { context, scene, palette } = paint;
  const [x, width] = extent(scene, item, 2);
  const top = place.top + HOLD_ROW.top;
  context.globalAlpha = opacityOf(scene, item);
  if (overran) {
    context.fillStyle = palette.panel;
    context.fillRect(x, top, width, HOLD_ROW.height);
    context.fillStyle = paint.overrun;
    context.fillRect(x, top, width, HOLD_ROW.height);
    context.strokeStyle = palette.overrun;
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, top + 0.5, Math.max(1, width - 1), HOLD_ROW.height - 1);
  }
  context.fillStyle = palette.lease;
  for (const part of hold.lease) {
    if (!isVisible(scene, part)) continue;
    const [from, length] = extent(scene, part, 2);
    context.fillRect(from, top, length, HOLD_ROW.height);
  }
  const { fence, key, owner } = hold;
  const name = fence === undefined ? `${key} ${owner.slice(0, 8)}` : `${key} token ${fence}`;
  const leaseEnd = Math.max(...hold.lease.map(({ to }) => xOf(scene, to)), x);
  const left = Math.max(x, gutterOf(scene.width)) + 5;
  label(paint, name, left, top + 11, Math.min(leaseEnd, scene.width) - left - 3, palette.page);
  context.globalAlpha = 1;
}

/** Kinds of operations one after another: what is rare comes last, on top. */
function paintOperations(paint: LanePaint, place: LanePlace): void {
  const { context, scene, palette } = paint;
  const color = { ok: palette.note, fail: palette.soft, info: palette.unknown } as Readonly<Record<string, string>>;
  for (const series of place.lane.operationSeries) {
    const acquires = new MergedBars(context, { top: place.top + HOLD_ROW.top + 5, height: 5 });
    const refusals = new MergedBars(context, { top: place.top + HOLD_ROW.top + 2, height: 11 });
    const others = new MergedBars(context, { top: place.top + OPERATION_ROW.top, height: OPERATION_ROW.height });
    visitDistinct(scene, series, (item, opacity) => {
      const [x, width] = extent(scene, item, 2);
      const fill = color[item.outcome] ?? palette.soft;
      if (item.label === "acquire") {
        acquires.add(x, width, fill, opacity);
        if (item.outcome === "fail") refusals.add(x + width - 2, 2, fill, opacity);
        return;
      }
      others.add(x, width, fill, opacity);
      if (width < WORD_ROOM) return;
      others.paint();
      label(paint, item.label, Math.max(x, 0) + 3, place.top + OPERATION_ROW.top + 9, width - 6, palette.page, 10);
    });
    for (const bars of [acquires, refusals, others]) bars.paint();
  }
  context.globalAlpha = 1;
}

function paintMark(paint: LanePaint, place: LanePlace, mark: Item): void {
  const { context, scene, palette } = paint;
  const x = xOf(scene, mark.from);
  const y = place.top + stripsTop(place.lane) / 2;
  context.globalAlpha = opacityOf(scene, mark);
  if (mark.kind === "lost") {
    context.fillStyle = palette.bad;
    diamond(context, x, place.top + HOLD_ROW.top + HOLD_ROW.height / 2, 6);
  } else {
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.fillStyle = mark.outcome === "ok" ? palette.lease : palette.page;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = mark.outcome === "ok" ? palette.lease : palette.overrun;
    context.stroke();
    if (scene.view.to - scene.view.from < 5e9) label(paint, mark.label, x + 8, y + 4, 70, palette.soft, 10);
  }
  context.globalAlpha = 1;
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.fill();
}

/** Writes a label only where it fits into `room` pixels. */
function label(
  { context }: LanePaint,
  text: string,
  x: number,
  y: number,
  room: number,
  color: string,
  size = 11,
): void {
  if (room < 12) return;
  context.font = `${size}px system-ui, sans-serif`;
  if (context.measureText(text).width > room) return;
  context.fillStyle = color;
  context.fillText(text, x, y);
}

function isVisible({ view }: Scene, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return to >= view.from && from <= view.to;
}

/** Left edge and width on the screen, at least `least` wide, clipped slightly outside the picture. */
function extent(
  scene: Scene,
  { from, to }: { readonly from: number; readonly to: number },
  least: number,
): readonly [number, number] {
  const x = Math.max(-8, xOf(scene, from));
  return [x, Math.max(least, Math.min(scene.width + 8, xOf(scene, to)) - x)];
}
