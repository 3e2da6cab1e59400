/** A canvas that keeps the sharpness of the screen and repaints at most once a frame. */
export class CanvasSheet {
  readonly canvas: HTMLCanvasElement;
  readonly #paint: (context: CanvasRenderingContext2D, width: number, height: number) => void;
  #due = false;

  constructor(
    canvas: HTMLCanvasElement,
    paint: (context: CanvasRenderingContext2D, width: number, height: number) => void,
  ) {
    this.canvas = canvas;
    this.#paint = paint;
    new ResizeObserver(() => this.repaint()).observe(canvas);
  }

  /** Asks for a repaint with the next frame. */
  repaint(): void {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.#paintNow();
    });
  }

  #paintNow(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const context = this.canvas.getContext("2d");
    if (context === null || width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [pixelsWide, pixelsHigh] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== pixelsWide || this.canvas.height !== pixelsHigh) {
      this.canvas.width = pixelsWide;
      this.canvas.height = pixelsHigh;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#paint(context, width, height);
  }
}
