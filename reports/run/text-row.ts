import type { Span } from "../text-style.ts";

/** One row of a picture: a label, and cells that later writes overwrite. */
export class TextRow {
  readonly label: string;
  readonly labelStyle: Span["style"];
  readonly #cells: { text: string; style?: Span["style"] }[];

  constructor(label: string, labelStyle: Span["style"], columns: number) {
    this.label = label;
    this.labelStyle = labelStyle;
    this.#cells = Array.from({ length: columns }, () => ({ text: " " }));
  }

  /** Sets one cell; a cell outside the row is ignored. */
  put(column: number, text: string, style?: Span["style"]): void {
    if (column >= 0 && column < this.#cells.length) this.#cells[column] = { text, style };
  }

  /** Sets all cells from `first` to `last`, both included. */
  fill(first: number, last: number, text: string, style?: Span["style"]): void {
    for (let column = first; column <= last; column += 1) this.put(column, text, style);
  }

  /** Writes a text without surrogate pairs from `column` on; text that does not fit is dropped whole. */
  write(column: number, text: string, style?: Span["style"]): void {
    if (column + text.length > this.#cells.length) return;
    for (let index = 0; index < text.length; index += 1) this.put(column + index, text.charAt(index), style);
  }

  /** Whether `length` cells from `column` on are empty. */
  isFree(column: number, length: number): boolean {
    return this.#cells.slice(Math.max(0, column), column + length).every(({ text }) => text === " ");
  }

  text(): string {
    return this.#cells.map(({ text }) => text).join("");
  }

  /** Neighbours of the same style as one string each. */
  spans(): readonly Span[] {
    const spans: { text: string; style?: Span["style"] }[] = [];
    for (const { text, style } of this.#cells) {
      const last = spans.at(-1);
      if (last !== undefined && last.style === style) last.text += text;
      else spans.push({ text, style });
    }
    return spans;
  }
}
