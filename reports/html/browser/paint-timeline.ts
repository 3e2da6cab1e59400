import { lanePaint, paintLane } from "./paint-lane.ts";
import type { Palette } from "./palette.ts";
import { AXIS_HEIGHT, gutterOf, rowOf, xOf, type Scene } from "./scene.ts";
import { ticksOf } from "./time-view.ts";
import type { Item } from "./run-model.ts";

/** Paints the whole timeline: lanes, violations across them, names at the left, the axis above. */
export function paintTimeline(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  context.clearRect(0, 0, scene.width, scene.height);
  context.save();
  context.beginPath();
  context.rect(0, AXIS_HEIGHT, scene.width, scene.height - AXIS_HEIGHT);
  context.clip();
  context.translate(0, AXIS_HEIGHT - scene.scrollTop);
  paintGround(context, scene, palette);
  paintOverlaps(context, scene, palette, "field");
  const paint = lanePaint(context, scene, palette);
  for (const place of scene.places) {
    const visible = place.top + place.height >= scene.scrollTop && place.top <= scene.scrollTop + scene.height;
    if (visible) paintLane(paint, place);
  }
  paintOverlaps(context, scene, palette, "frame");
  for (const item of [scene.hovered, scene.selected]) {
    if (item !== undefined) outline(context, scene, palette, item, item === scene.selected);
  }
  paintCursor(context, scene, palette);
  paintMarked(context, scene, palette);
  paintNames(context, scene, palette);
  context.restore();
  paintAxis(context, scene, palette);
}

function paintGround(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  scene.places.forEach(({ top, height }, index) => {
    context.fillStyle = index % 2 === 0 ? palette.panel : palette.page;
    context.fillRect(0, top, scene.width, height);
  });
  context.fillStyle = palette.line;
  const bottom = (scene.places.at(-1)?.top ?? 0) + (scene.places.at(-1)?.height ?? 0);
  for (const { time } of ticksOf(scene.view, scene.width - gutterOf(scene.width), 110)) {
    context.fillRect(Math.round(xOf(scene, time)), 0, 1, bottom);
  }
}

/**
 * Where a property was violated: an area behind the lanes of the conflicting clients, or, in front of them, its frame.
 */
function paintOverlaps(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
  part: "field" | "frame",
): void {
  for (const { overlap, lanes } of scene.model.data.violations) {
    const places = scene.places.filter(({ lane }) => lanes.includes(lane.index));
    const [first, last] = [places[0], places.at(-1)];
    if (overlap === undefined || first === undefined || last === undefined) continue;
    const [x1, x2] = [xOf(scene, overlap.from), xOf(scene, overlap.to)];
    if (x2 < 0 || x1 > scene.width) continue;
    const shape = [x1, first.top, Math.max(2, x2 - x1), last.top + last.height - first.top] as const;
    context.fillStyle = palette.bad;
    context.strokeStyle = palette.bad;
    context.lineWidth = 1.5;
    context.globalAlpha = part === "field" ? 0.2 : 1;
    if (part === "field") context.fillRect(...shape);
    else context.strokeRect(...shape);
    context.globalAlpha = 1;
  }
}

function paintCursor(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  if (scene.cursor === undefined) return;
  context.fillStyle = palette.ink;
  context.globalAlpha = 0.6;
  context.fillRect(Math.round(xOf(scene, scene.cursor)), scene.scrollTop, 1, scene.height);
  context.globalAlpha = 1;
}

function paintMarked(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  if (scene.marked === undefined) return;
  const [from, to] = [xOf(scene, scene.marked.from), xOf(scene, scene.marked.to)];
  context.fillStyle = palette.note;
  context.globalAlpha = 0.25;
  context.fillRect(from, scene.scrollTop, to - from, scene.height);
  context.globalAlpha = 1;
}

function outline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
  item: Item,
  selected: boolean,
): void {
  const place = scene.places.find(({ lane }) => lane.index === item.lane);
  if (place === undefined) return;
  const { top, height } = rowOf(item, place);
  const x = Math.max(-10, xOf(scene, item.from));
  const end = Math.min(scene.width + 10, xOf(scene, item.to));
  context.strokeStyle = palette.ink;
  context.lineWidth = selected ? 2.5 : 1.25;
  context.strokeRect(x - 3, place.top + top - 2, Math.max(4, end - x) + 6, height + 4);
}

function paintNames(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const gutter = gutterOf(scene.width);
  scene.places.forEach(({ lane, top, height }, index) => {
    context.fillStyle = index % 2 === 0 ? palette.panel : palette.page;
    context.fillRect(0, top, gutter - 1, height);
    const focused = scene.focusedLane === lane.index;
    if (focused) {
      context.fillStyle = palette.note;
      context.fillRect(0, top + 2, 3, height - 4);
    }
    context.fillStyle = focused ? palette.note : palette.ink;
    context.font = `${focused ? "600 " : ""}12px system-ui, sans-serif`;
    paintName(context, lane.name, top, height);
  });
  context.fillStyle = palette.line;
  context.fillRect(gutter - 1, 0, 1, (scene.places.at(-1)?.top ?? 0) + (scene.places.at(-1)?.height ?? 0));
}

/** A task's name takes two lines: that of its client and its own, which one line has no room for. */
function paintName(context: CanvasRenderingContext2D, name: string, top: number, height: number): void {
  const place = name.indexOf(" (");
  const lines = place < 0 ? [name] : [name.slice(0, place), name.slice(place + 1)];
  const first = top + Math.min(height / 2 + 4, 21) - (lines.length - 1) * 4;
  lines.forEach((line, index) => context.fillText(line, 9, first + index * 15));
}

function paintAxis(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const gutter = gutterOf(scene.width);
  context.fillStyle = palette.page;
  context.fillRect(0, 0, scene.width, AXIS_HEIGHT);
  for (const { overlap } of scene.model.data.violations) {
    if (overlap === undefined) continue;
    const [x1, x2] = [Math.max(gutter, xOf(scene, overlap.from)), Math.min(scene.width, xOf(scene, overlap.to))];
    if (x2 < gutter || x1 > scene.width) continue;
    context.fillStyle = palette.bad;
    context.fillRect(x1, AXIS_HEIGHT - 6, Math.max(4, x2 - x1), 5);
  }
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = palette.soft;
  for (const { time, label } of ticksOf(scene.view, scene.width - gutter, 110)) {
    const x = xOf(scene, time);
    if (x < gutter || x + context.measureText(label).width + 4 > scene.width) continue;
    context.fillText(label, x + 4, 16);
    context.fillRect(Math.round(x), 6, 1, AXIS_HEIGHT - 6);
  }
  context.fillStyle = palette.line;
  context.fillRect(0, AXIS_HEIGHT - 1, scene.width, 1);
}
