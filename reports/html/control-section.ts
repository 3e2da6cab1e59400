import { printable } from "../../harness/core/printable.ts";
import { differenceWords } from "../run/first-difference.ts";
import type { RunRecord } from "../run/run-record.ts";
import { timelineOf } from "../run/timeline.ts";
import { html, type Markup } from "./markup.ts";
import { wholeRunPictures } from "./story-section.ts";

/** The same schedule without what caused the violation, beside the run, with the first event that differs. */
export function controlSection({ control, history }: RunRecord): Markup | undefined {
  if (control === undefined) return undefined;
  const difference = differenceWords(history, control.history);
  const says = printable(control.says);
  return html`<div class="block control">
    <h2>The control</h2>
    <p>${says.charAt(0).toUpperCase()}${says.slice(1)}.</p>
    ${wholeRunPictures(timelineOf(control.history), "The control, the whole run")}
    <p>
      ${
        difference === undefined
          ? "Beside the faults, no event differs."
          : html`<strong>The first event that differs:</strong> ${difference}.`
      }
    </p>
  </div>`;
}
