import { changeLines } from "../changes.ts";
import { isSurprise, missingWords, summaryGrid, type Summary, type SummaryCell } from "../summary.ts";
import { count } from "../wording.ts";
import { html, type Markup } from "./markup.ts";

const MARK = { holds: "✓", broken: "✗", simulated: "s", unknown: "?" } as const;

/** The table of locks by faults. A cell says in words what its mark and colour mean. */
export function matrixSection(summary: Summary): Markup {
  const { faults, rows, surprises } = summaryGrid(summary);
  const found = (word: SummaryCell["found"]): number =>
    rows.flatMap(({ cells }) => cells).filter((cell) => cell?.found === word).length;
  return html`<section class="block" aria-labelledby="matrix-title">
    <h2 id="matrix-title">${summary.title ?? "Locks by faults"}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Locks by faults">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">lock</th>
            ${faults.map((fault) => html`<th scope="col" class="slanted"><span>${fault}</span></th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ lock, cells }) =>
              html`<tr>
                <th scope="row">${lock}</th>
                ${cells.map(matrixCell)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="key">
      <span class="cell holds">✓</span> holds (${found("holds")}) <span class="cell broken">✗</span> broken
      (${found("broken")}) <span class="cell unknown">?</span> unknown (${found("unknown")})
      ${found("simulated") > 0 && html`<span class="cell simulated">s</span> broken in simulation, not shown by real servers (${found("simulated")})`}
      <span class="cell holds surprise">✓</span><span class="cell broken surprise">✗</span> framed: not as expected,
      <u>underlined</u>: shows a run
    </p>
    ${
      surprises.length === 0
        ? html`<p>Everything ${summary.missing !== undefined && "searched "}is as expected.</p>`
        : html`<h3>Not as expected</h3>
            <ul class="notes">
              ${surprises.map((cell) => html`<li><strong>${cell.lock}</strong> under <strong>${cell.fault}</strong>: ${sayCell(cell)}</li>`)}
            </ul>`
    }
    ${summary.missing !== undefined && html`<p><strong>${missingWords(summary.missing)}</strong></p>`}
    ${
      summary.changes !== undefined &&
      html`<h3>Since the former results</h3>
        <ul class="notes">
          ${changeLines(summary.changes).map((line) => html`<li>${line}</li>`)}
        </ul>`
    }
  </section>`;
}

function matrixCell(cell: SummaryCell | undefined): Markup {
  if (cell === undefined) return html`<td class="cell blank"><span class="unseen">not run</span></td>`;
  const surprise = isSurprise(cell) && cell.found !== "unknown";
  const words = sayCell(cell);
  const mark = (spoken: string): Markup =>
    html`<span aria-hidden="true">${MARK[cell.found]}</span> <span class="unseen">${spoken}</span>`;
  const content =
    cell.run === undefined
      ? mark(words)
      : html`<button type="button" class="show-run" data-run="${cell.run}">${mark(`${words}, show the run`)}</button>`;
  return html`<td
    class="cell ${cell.found} ${surprise && "surprise"}"
    title="${cell.lock} under ${cell.fault}: ${words}"
  >
    ${content}
  </td>`;
}

function sayCell({ expected, found, runs, note }: SummaryCell): string {
  const wanted = expected === undefined ? "" : `expected ${expected}, `;
  const after = runs === undefined ? "" : ` in ${count(runs, "run")}`;
  return `${wanted}found ${found}${after}${note === undefined ? "" : ` (${note})`}`;
}
