/** The page's colours, as a canvas needs them. */
export interface Palette {
  readonly page: string;
  readonly panel: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly lease: string;
  readonly overrun: string;
  readonly bad: string;
  readonly fault: string;
  readonly note: string;
  readonly unknown: string;
}

/** Reads the current colours: they change with the theme. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    page: color("page"),
    panel: color("panel"),
    ink: color("ink"),
    soft: color("soft"),
    line: color("line"),
    lease: color("lease"),
    overrun: color("overrun"),
    bad: color("bad"),
    fault: color("fault"),
    note: color("note"),
    unknown: color("unknown"),
  };
}

const hatches = new Map<string, CanvasPattern | string>();

/** A hatched fill of one colour, made once. */
export function hatch(context: CanvasRenderingContext2D, color: string, density: number): CanvasPattern | string {
  const name = `${color} ${density}`;
  const made = hatches.get(name) ?? newHatch(context, color, density);
  hatches.set(name, made);
  return made;
}

function newHatch(context: CanvasRenderingContext2D, color: string, density: number): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = 8;
  tile.height = 8;
  const drawing = tile.getContext("2d");
  if (drawing === null) return color;
  drawing.strokeStyle = color;
  drawing.lineWidth = density;
  for (const offset of [-8, 0, 8]) {
    drawing.beginPath();
    drawing.moveTo(offset - 2, 10);
    drawing.lineTo(offset + 10, -2);
    drawing.stroke();
  }
  return context.createPattern(tile, "repeat") ?? color;
}
