/** A story that is stepped through: its picture, its list of moments and the line that tells the current one. */
export class StorySteps {
  readonly #root: HTMLElement;
  readonly #items: readonly HTMLElement[];
  readonly #told: (moment: number) => void;
  #current = -1;

  /** @param told is called for each moment that is shown */
  constructor(root: HTMLElement, told: (moment: number) => void) {
    this.#root = root;
    this.#told = told;
    this.#items = [...root.querySelectorAll<HTMLElement>(".moments > li")];
    this.#listen();
  }

  /** Shows a moment, counted from 0, in the picture, in the list and in words; the nearest where there is none such. */
  show(moment: number): void {
    if (this.#items.length === 0) return;
    this.#current = Math.max(0, Math.min(this.#items.length - 1, moment));
    for (const marked of this.#root.querySelectorAll<HTMLElement | SVGElement>("[data-moment]")) {
      const isCurrent = Number(marked.dataset["moment"]) === this.#current;
      marked.classList.toggle("current", isCurrent);
      if (marked instanceof HTMLLIElement && isCurrent) marked.setAttribute("aria-current", "step");
      else marked.removeAttribute("aria-current");
    }
    const item = this.#items[this.#current];
    const now = this.#root.querySelector(".moment-now");
    const [time, what] = [".show-moment .at", ".what"].map(
      (part) => item?.querySelector(part)?.textContent.trim() ?? "",
    );
    if (now !== null) now.textContent = `${this.#current + 1} of ${this.#items.length}, ${time}: ${what}`;
    this.#told(this.#current);
  }

  #listen(): void {
    const step = (by: number): void => this.show(this.#current + by);
    this.#root.querySelector(".previous-moment")?.addEventListener("click", () => step(-1));
    this.#root.querySelector(".next-moment")?.addEventListener("click", () => step(1));
    for (const marked of this.#root.querySelectorAll<HTMLElement | SVGElement>("g.moment, .show-moment")) {
      const moment = marked.closest<HTMLElement | SVGElement>("[data-moment]")?.dataset["moment"];
      marked.addEventListener("click", () => this.show(Number(moment)));
    }
    const keys: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => this.show(0),
      End: () => this.show(this.#items.length - 1),
    };
    this.#root.addEventListener("keydown", (event) => {
      const target = event.target instanceof Element ? event.target : this.#root;
      const action = keys[event.key];
      const isElsewhere = target.closest("pre, .scroll, details:not(.further)") !== null;
      if (action === undefined || isElsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
  }
}

/**
 * Makes each story of a run one that is stepped through, by its place.
 * @param told is called for each moment that is shown
 */
export function stepThrough(
  section: HTMLElement,
  told: (story: number, moment: number) => void,
): ReadonlyMap<number, StorySteps> {
  const stories = [...section.querySelectorAll<HTMLElement>(".story[data-story]")];
  return new Map(
    stories.map((root) => {
      const place = Number(root.dataset["story"]);
      return [place, new StorySteps(root, (moment) => told(place, moment))];
    }),
  );
}
