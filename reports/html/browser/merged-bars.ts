/**
 * Bars of one height and one colour, each at least as far right as the one before: those that touch become one. Where a
 * run is dense, a lane is then a few rectangles and not one for each pixel.
 */
export class MergedBars {
  readonly #context: Pick<CanvasRenderingContext2D, "globalAlpha" | "fillStyle" | "fillRect">;
  readonly #row: { readonly top: number; readonly height: number };
  #color = "";
  #alpha = 1;
  #from = 0;
  #to = -Infinity;

  constructor(
    context: Pick<CanvasRenderingContext2D, "globalAlpha" | "fillStyle" | "fillRect">,
    row: { readonly top: number; readonly height: number },
  ) {
    this.#context = context;
    this.#row = row;
  }

  add(x: number, width: number, color: string, alpha = 1): void {
    if (x > this.#to || color !== this.#color || alpha !== this.#alpha) {
      this.paint();
      [this.#from, this.#color, this.#alpha] = [x, color, alpha];
    }
    this.#to = Math.max(this.#to, x + width);
  }

  /** Paints what was added last; words may be written on it afterwards. */
  paint(): void {
    if (this.#to > this.#from) {
      this.#context.globalAlpha = this.#alpha;
      this.#context.fillStyle = this.#color;
      this.#context.fillRect(this.#from, this.#row.top, this.#to - this.#from, this.#row.height);
    }
    this.#to = -Infinity;
  }
}
