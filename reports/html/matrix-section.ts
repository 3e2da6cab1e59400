import { inFigures } from "../../harness/core/words/in-figures.ts";
import { noteGroups } from "../campaign/campaign-notes.ts";
import { residualRiskWords } from "../campaign/residual-risk-words.ts";
import { changeLines } from "../campaign/changes.ts";
import {
  faultWords,
  cellWords,
  isSurprise,
  missingWords,
  searchWords,
  summaryFigures,
  summaryGrid,
  tickWords,
  type Summary,
  type SummaryCell,
} from "../campaign/summary.ts";
import { explorationSection } from "./exploration-section.ts";
import { html, type Markup } from "./markup.ts";

const MARK = { holds: "✓", outlived: "○", broken: "✗", simulated: "s", unknown: "?" } as const;

/**
 * The table of locks by faults. Each cell says in words what its mark and colour mean.
 * @param pageTitle which is not said twice
 */
export function matrixSection(summary: Summary, pageTitle: string): Markup {
  const { rows, surprises } = summaryGrid(summary);
  const conclusion = summary.exploration?.conclusion ?? summary.conclusion;
  const isTable = summary.cells.length > 1;
  const ticks = tickWords(rows.flatMap(({ cells }) => cells));
  return html`<section class="block" aria-labelledby="matrix-title">
    <h2 id="matrix-title">${summary.title === pageTitle ? "At a glance" : (summary.title ?? "Locks by faults")}</h2>
    ${conclusion !== undefined && html`<p class="headline">${conclusion}</p>`}
    <dl class="figures">
      ${summaryFigures(summary).map(
        ({ figure, means }) =>
          html`<div>
            <dd>${inFigures(figure)}</dd>
            <dt>${means}</dt>
          </div>`,
      )}
    </dl>
    ${isTable ? tableOf(summary) : summary.cells.map(cellLine)}
    <div class="cell-infos" role="status">${isTable && summary.cells.map(cellInfo)}</div>
    ${isTable && keyOf(summary)} ${isTable && ticks !== undefined && html`<p>${ticks}</p>`}
    ${
      !isTable
        ? undefined
        : surprises.length === 0
          ? html`<p>Everything ${summary.missing !== undefined && "searched "}is as expected.</p>`
          : html`<h3>Not as expected</h3>
              <ul class="notes">
                ${surprises.map((cell) => html`<li><strong>${cell.lock}</strong> under <strong>${faultWords(cell.fault)}</strong>: ${cellWords(cell)}</li>`)}
              </ul>`
    }
    ${noteGroups(summary.notes).map(
      ({ heading, lines }) =>
        html`<h3>${heading}</h3>
          <ul class="notes">
            ${lines.map((line) => html`<li>${line}</li>`)}
          </ul>`,
    )}
    ${summary.exploration !== undefined && explorationSection(summary.exploration)}
    ${summary.residualRisk !== undefined && summary.conclusion === undefined && html`<p>Random plans: ${residualRiskWords(summary.residualRisk)}.</p>`}
    ${summary.missing !== undefined && html`<p><strong>${missingWords(summary.missing)}</strong></p>`}
    ${
      summary.changes !== undefined &&
      html`<h3>Compared with the former results</h3>
        <ul class="notes">
          ${changeLines(summary.changes).map((line) => html`<li>${line}</li>`)}
        </ul>`
    }
  </section>`;
}

function tableOf(summary: Summary): Markup {
  const { faults, rows } = summaryGrid(summary);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Locks by faults">
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
              ${cells.map((cell) => matrixCell(cell, summary))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function keyOf(summary: Summary): Markup {
  const cells = summaryGrid(summary).rows.flatMap((row) => row.cells);
  const found = (word: SummaryCell["found"]): number => cells.filter((cell) => cell?.found === word).length;
  return html`<p class="key">
    <span class="cell holds">✓</span> holds (${found("holds")})
    ${found("outlived") > 0 && html`<span class="cell outlived">○</span> keeps its promise, but a client outlived its lease (${found("outlived")})`}
    <span class="cell broken">✗</span> broken (${found("broken")}) <span class="cell unknown">?</span> unknown
    (${found("unknown")})
    ${found("simulated") > 0 && html`<span class="cell simulated">s</span> broken in simulation, not shown on real servers (${found("simulated")})`}
    <span class="cell holds surprise">✓</span><span class="cell broken surprise">✗</span> framed: not as expected,
    <u>underlined</u>: opens a run, dotted: shows the command that searches it again
  </p>`;
}

/** The one cell of a hunt for one lock: in words, and the command that searches it again. */
function cellLine(cell: SummaryCell): Markup {
  return html`<p>
      <strong>${cell.lock}</strong> under <strong>${faultWords(cell.fault)}</strong>: ${searchWords(cell)}
    </p>
    ${
      faultWords(cell.fault) !== cell.fault &&
      html`<p class="soft">${`The kinds of faults: ${cell.fault.replaceAll(" + ", ", ")}.`}</p>`
    }
    ${cell.command !== undefined && commandOf(cell.command)}`;
}

function commandOf(command: string): Markup {
  return html`<div class="command">
    <pre tabindex="0"><code>${command}</code></pre>
    <button type="button" class="copy">Copy</button>
  </div>`;
}

/** What a cell says when it is chosen: the outcome in words with its bound, and the command that searches it again. */
function cellInfo(cell: SummaryCell, index: number): Markup {
  const { lock, fault, command } = cell;
  if (command === undefined) return html``;
  return html`<div class="cell-info" data-cell="${index}" hidden>
    <p><strong>${lock}</strong> under <strong>${fault}</strong>: ${cellWords(cell)}</p>
    ${commandOf(command)}
  </div>`;
}

function matrixCell(cell: SummaryCell | undefined, summary: Summary): Markup {
  if (cell === undefined) return html`<td class="cell blank"><span class="unseen">not run</span></td>`;
  const surprise = isSurprise(cell) && cell.found !== "unknown";
  const words = cellWords(cell);
  const mark = (spoken: string): Markup =>
    html`<span aria-hidden="true">${MARK[cell.found]}</span> <span class="unseen">${spoken}</span>`;
  const content =
    cell.run !== undefined
      ? html`<button type="button" class="show-run" data-run="${cell.run}">${mark(`${words}, show the run`)}</button>`
      : cell.command !== undefined
        ? html`<button type="button" class="show-cell" data-cell="${summary.cells.indexOf(cell)}">
            ${mark(`${words}, show the command`)}
          </button>`
        : mark(words);
  return html`<td
    class="cell ${cell.found} ${surprise && "surprise"}"
    title="${cell.lock} under ${cell.fault}: ${words}"
  >
    ${content}
  </td>`;
}
