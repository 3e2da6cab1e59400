import type { BeliefAt } from "./beliefs-at.ts";
import { inFigures } from "../../../../harness/core/words/in-figures.ts";

/** Two holds may overlap for a microsecond. */
function exactMs(time: number): string {
  return `${inFigures(time / 1e6, 3)} ms`;
}

/** What each client and server believes at the cursor. Its elements are made once and then change their words. */
export class BeliefPanel {
  readonly #time: HTMLElement;
  readonly #list: HTMLElement;
  readonly #said: HTMLElement;
  #rows: readonly { readonly row: HTMLElement; readonly name: HTMLElement; readonly says: HTMLElement }[] = [];

  /** @param panel holds `.cursor-time`, `.beliefs` and `.cursor-said` */
  constructor(panel: HTMLElement) {
    const [time, list, said] = [".cursor-time", ".beliefs", ".cursor-said"].map((selector) =>
      panel.querySelector<HTMLElement>(selector),
    );
    if (!time || !list || !said) throw new Error("the page lacks the panel of beliefs");
    [this.#time, this.#list, this.#said] = [time, list, said];
  }

  /** @param aloud whether a screen reader says it too: for steps of the keyboard, not for a pointer that moves */
  show(time: number, clock: string, beliefs: readonly BeliefAt[], aloud: boolean): void {
    this.#time.textContent = `At ${exactMs(time)}${clock}`;
    if (this.#rows.length !== beliefs.length) this.#makeRows(beliefs.length);
    beliefs.forEach(({ name, says, holds }, place) => {
      const row = this.#rows[place];
      if (row === undefined) return;
      if (row.name.textContent !== name) row.name.textContent = name;
      if (row.says.textContent !== says) row.says.textContent = says;
      row.row.classList.toggle("holds", holds);
    });
    this.#said.textContent = aloud
      ? `At ${exactMs(time)}: ${beliefs.map(({ name, says }) => `${name} ${says}`).join("; ")}`
      : "";
  }

  #makeRows(count: number): void {
    this.#rows = Array.from({ length: count }, () => {
      const [row, name, says] = ["div", "dt", "dd"].map((tag) => document.createElement(tag)) as [
        HTMLElement,
        HTMLElement,
        HTMLElement,
      ];
      row.append(name, says);
      return { row, name, says };
    });
    this.#list.replaceChildren(...this.#rows.map(({ row }) => row));
  }
}
