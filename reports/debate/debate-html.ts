import { meaningOf } from "../../harness/core/verdict.ts";
import { AUTHORS, type MeasuredDebate, type MeasuredExperiment } from "../../harness/core/measurement.ts";
import { STYLE } from "../html/assets.ts";
import { html, Markup } from "../html/markup.ts";
import { heatMap, lineClass, MOST_LINES, sharePlot } from "../html/share-plots.ts";
import { shareGrids } from "./share-grid.ts";
import { count } from "../wording.ts";

/** The plots' style, in addition to the style that all pages share. */
const PLOT_STYLE = `
.shares { max-width: none; }
.shares text { fill: var(--ink); font-size: 12px; }
.share-ground { fill: var(--good-ground); }
.share-ground.surprise { stroke: var(--bad); stroke-width: 2.5; }
.share-fill { fill: var(--bad); }
.shares .line { stroke-width: 2; }
.says { display: grid; grid-template-columns: max-content 1fr; gap: 4px 14px; margin: 8px 0; }
.says dt { font-weight: 600; }
.says dd { margin: 0; }
`;

/** The measured dispute as one self-contained HTML file, light or dark as its reader prefers. */
export function renderDebateHtml(debate: MeasuredDebate): string {
  const { seed, runs, sources, experiments } = debate;
  const title = "Is Redlock safe? The dispute, measured";
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        />
        <title>${title} - lockstorm</title>
        <style>
          ${new Markup(STYLE)}${new Markup(PLOT_STYLE)}
        </style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <h1>${title} <span class="brand">lockstorm debate</span></h1>
        </header>
        <main id="content">
          <section class="block">
            <p>
              Redlock is a lock on several independent Redis servers: a client holds it when a majority granted it. In
              2016 Martin Kleppmann argued that it is not safe, and Salvatore Sanfilippo (antirez), the author of Redis,
              answered. This page measures those of their claims that can be measured, and says of each whether it
              <strong>holds</strong> or is <strong>refuted</strong>.
            </p>
            <p>
              ${count(experiments.length, "experiment")} in simulation, ${count(runs, "run")} of each cell, seed
              ${seed}. The same seed gives the same numbers.
            </p>
            <dl class="says">
              ${AUTHORS.map(
                (author) =>
                  html`<dt>${author}</dt>
                    <dd><a href="${sources[author].link}">${sources[author].name}</a></dd>`,
              )}
            </dl>
            <p class="key">
              Each field gives the number of runs that violated the property, of those that could show it; more red
              means more runs. A framed field is not as predicted.
            </p>
          </section>
          ${experiments.map(section)}
        </main>
      </body>
    </html>`;
  return `${page.text}\n`;
}

function section(experiment: MeasuredExperiment): Markup {
  const { id, question, says, predictions, verdict, surprises, rowAxis, columnAxis } = experiment;
  return html`<section class="block" id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${question}</h2>
    <dl class="says">
      ${AUTHORS.map(
        (author) =>
          html`<dt>${author}</dt>
            <dd>${says[author]}</dd>`,
      )}
    </dl>
    <p><strong>${verdict}</strong></p>
    <ul class="notes">
      ${predictions.map(({ by, claim, holds }) => html`<li>${by}: ${claim}: <strong>${holds ? "holds" : "refuted"}</strong></li>`)}
      ${surprises.map((words) => html`<li><strong>Not as predicted:</strong> ${words}</li>`)}
    </ul>
    ${shareGrids(experiment).map(
      (grid) =>
        html`<figure>
          <figcaption>
            ${grid.property}: ${meaningOf(grid.property)} (rows: ${rowAxis}; columns: ${columnAxis})
          </figcaption>
          <div class="scroll" tabindex="0" role="region" aria-label="${id}, ${grid.property}">
            ${heatMap(grid, `${id}: ${grid.property}`)}
          </div>
        </figure>`,
    )}
    ${curves(experiment)}
  </section>`;
}

/** For few rows over a number: a plot that shows the intervals. */
function curves(experiment: MeasuredExperiment): Markup | undefined {
  const rows = [...new Set(experiment.cells.map(({ row }) => row))];
  const [property] = experiment.properties;
  const numbered = experiment.cells.every(({ x }) => x !== undefined);
  if (!numbered || property === undefined || rows.length > MOST_LINES) return undefined;
  return html`<figure>
    <figcaption>Share of runs that violated ${property}, with its 95 % interval</figcaption>
    <div class="scroll" tabindex="0" role="region" aria-label="${experiment.id}, curves">
      ${sharePlot(experiment, rows, property)}
    </div>
    <p class="key">${rows.map((row, at) => html`<i class="${lineClass(at)}"></i> ${row} `)}</p>
  </figure>`;
}
