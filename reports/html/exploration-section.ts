import type { Exploration } from "../campaign/exploration.ts";
import { html, type Markup } from "./markup.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";

/** What an exploration ran, level by level, and what it leaves out. */
export function explorationSection({ levels, leftOut }: Exploration): Markup {
  const pruned = levels.some(({ symmetric, alike }) => symmetric + alike > 0);
  const missing = levels.some((level) => level.missing > 0);
  const columns = [
    "faults in a schedule",
    "places and faults",
    ...(missing ? ["not explored"] : []),
    "schedules run",
    "new classes",
    ...(pruned ? ["left out as equal"] : []),
  ];
  return html`<h3>What was run</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="What was run">
      <table class="levels">
        <thead>
          <tr>
            ${columns.map((name) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${levels.map(
            ({ deviations, families, schedules, newClasses, symmetric, alike, ...level }) =>
              html`<tr>
                <th scope="row">${deviations}</th>
                ${[
                  families,
                  ...(missing ? [level.missing] : []),
                  schedules,
                  newClasses,
                  ...(pruned ? [symmetric + alike] : []),
                ].map((figure) => html`<td>${inFigures(figure)}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="soft">
      In all schedules of a class, every client and server received the same messages in the same order: they differ in
      nothing but times.
    </p>
    <h3>What was not tried</h3>
    <ul class="notes">
      ${leftOut.map((line) => html`<li>${line}</li>`)}
    </ul>`;
}
