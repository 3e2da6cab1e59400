import { createHash } from "node:crypto";
import { OPERATIONS } from "../../harness/history/history.ts";
import { controlSection } from "./control-section.ts";
import { chartsSection } from "./charts-section.ts";
import { SCRIPT, STYLE } from "./assets.ts";
import { matrixSection } from "./matrix-section.ts";
import { html, Markup } from "./markup.ts";
import { encodeRun, lanesOf } from "./page-data.ts";
import { faultsSection, planSection, propertiesSection, replaySection } from "./run-sections.ts";
import { causesSection, firstMoments, firstPicture, narrowPicture } from "./story-section.ts";
import { headlineOf } from "../run/headline.ts";
import { unbroken } from "../wording.ts";
import { type About, conditionsOf, titleOf, type Report, type RunRecord } from "../run/run-record.ts";
import { storiesOf } from "../run/story.ts";
import { timelineOf } from "../run/timeline.ts";
import { WIRE_TITLE, wireWords } from "../run/wire-words.ts";

/** Not written in a template: its hash in the content policy counts every space. */
const PROGRAM = new Markup(`<script type="module">${SCRIPT}</script>`);

/**
 * A report as one self-contained HTML file: no server, no network (its content security policy forbids it). The verdict
 * is readable without its script; the script adds the timeline, the search and the table of events.
 */
export function renderHtml(report: Report): string {
  const title =
    report.title ?? (report.runs.length === 1 && report.runs[0] !== undefined ? titleOf(report.runs[0]) : "lockstorm");
  const summary = report.summary !== undefined && matrixSection(report.summary, title);
  const runs = report.runs.map((run, index) => runSection(run, index));
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${contentPolicy()}" />
        <title>${title} - lockstorm</title>
        <style>
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <h1>${title} <span class="brand">lockstorm report</span></h1>
          ${report.runs.length > 1 && runChooser(report.runs)}
          <button type="button" class="theme">Theme: auto</button>
        </header>
        <main id="content">${tellsFirst(report) ? [runs, summary] : [summary, runs]}</main>
        ${PROGRAM}
      </body>
    </html>`;
  return `${page.text}\n`;
}

/** Whether the run that broke the lock stands before the figures: where a search for nothing else has found it. */
function tellsFirst({ summary, runs }: Report): boolean {
  if (summary === undefined || runs.length === 0) return false;
  return summary.cells.length === 1 && summary.cells[0]?.found === "broken";
}

/** Nothing is fetched, and only the page's own script runs, even if a history contains markup. */
function contentPolicy(): string {
  const digest = createHash("sha256").update(SCRIPT).digest("base64");
  return `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
}

function runChooser(runs: readonly RunRecord[]): Markup {
  const options = runs.map((run) => html`<option>${run.verdict.verdict}: ${titleOf(run)}</option>`);
  return html`<label
    >Run
    <select id="run-chooser">
      ${options}
    </select></label
  >`;
}

/** The violation of a run in a picture for a gallery; undefined where nothing is violated. */
export function narrowPictureOf(run: RunRecord): Markup | undefined {
  const timeline = timelineOf(run.history, run.wire);
  return narrowPicture({ stories: storiesOf(run.verdict, timeline, run.history.events), timeline });
}

/** The story comes first: a sentence, its picture, the command to replay; then its moments; then all the rest. */
function runSection(run: RunRecord, index: number): Markup {
  const timeline = timelineOf(run.history, run.wire);
  const stories = storiesOf(run.verdict, timeline, run.history.events);
  const id = `run-${index}`;
  const told = { run, stories, timeline, id };
  return html`<section class="run" id="${id}" aria-labelledby="${id}-title">
    <div class="block story" data-story="0">
      <div class="verdict">
        <span class="word ${run.verdict.verdict}">${run.verdict.verdict.toUpperCase()}</span>
        <h2 id="${id}-title">${titleOf(run)}</h2>
      </div>
      <p class="headline">${unbroken(headlineOf(run))}</p>
      ${firstPicture(told)} ${replaySection(run)} ${firstMoments(told)}
      <ul class="chips" aria-label="Conditions">
        ${conditionsOf(run).map((part) => html`<li>${part}</li>`)}
      </ul>
      ${run.about !== undefined && aboutSection(run.about)}
    </div>
    ${controlSection(run)} ${causesSection(told)}
    <div class="block">
      <h2>Properties</h2>
      ${propertiesSection(run)}
    </div>
    ${timelineSection(run, id)}
    <div class="block">
      <h2>Faults and the evidence for them</h2>
      ${faultsSection(timeline.faults)}
    </div>
    ${wireSection(run)}
    <div class="block">
      <h2>Latency, throughput, margins</h2>
      ${chartsSection(timeline)}
    </div>
    <div class="block">
      <h2>Plan</h2>
      ${planSection(run)}
    </div>
    <script type="application/octet-stream" class="run-data">
      ${new Markup(encodeRun(run))}
    </script>
  </section>`;
}

/** Which arrows are seen ones, and what nobody saw; nothing where all is known, or nothing. */
function wireSection({ wire }: RunRecord): Markup | undefined {
  const words = wireWords(wire);
  if (words.length === 0) return undefined;
  return html`<div class="block">
    <h2>${WIRE_TITLE}</h2>
    <ul>
      ${words.map((line) => html`<li>${line}</li>`)}
    </ul>
  </div>`;
}

function aboutSection({ summary, says, source }: About): Markup {
  return html`<p class="about">${summary}</p>
    <p class="about">${says} <a href="${source.link}">${source.name}</a></p>`;
}

function timelineSection(run: RunRecord, id: string): Markup {
  return html`<div class="block timeline-block">
    <h2>Timeline</h2>
    ${toolbar(run)} ${filters(run)}
    <div class="timeline">
      <canvas class="overview-canvas" aria-hidden="true"></canvas>
      <div
        class="timeline-frame"
        tabindex="0"
        role="application"
        aria-roledescription="timeline"
        aria-label="Timeline of the run"
        aria-describedby="${id}-keys"
      >
        <div><canvas class="timeline-canvas" aria-hidden="true"></canvas></div>
      </div>
      <div class="tooltip" hidden></div>
    </div>
    ${legend()} ${figures()}
    <div class="beliefs-at" role="group" aria-label="What each believes at the cursor">
      <p class="cursor-time"></p>
      <dl class="beliefs"></dl>
      <p class="unseen cursor-said" role="status"></p>
    </div>
    ${keysHelp(id)}
    <div class="details" role="region" aria-live="polite" aria-label="Selected"></div>
    <h3 id="${id}-events">Events</h3>
    <div class="event-frame" tabindex="0" role="grid" aria-labelledby="${id}-events">
      <div class="event-head" role="row" aria-rowindex="1">
        ${["event", "ms", "lane", "type", "what", "values"].map((name) => html`<span role="columnheader">${name}</span>`)}
      </div>
      <div class="event-body" id="${id}-body" role="rowgroup"></div>
    </div>
  </div>`;
}

function toolbar({ verdict }: RunRecord): Markup {
  return html`<div class="toolbar" role="group" aria-label="Timeline controls">
    <input type="search" class="search" placeholder="Search events: client-0 acquire fail" aria-label="Search events" />
    <div class="group">
      <button type="button" class="previous-match" aria-label="Previous match">↑</button>
      <button type="button" class="next-match" aria-label="Next match">↓</button>
      <span class="match-count soft" role="status"></span>
    </div>
    <div class="group" role="group" aria-label="Zoom">
      <button type="button" class="earlier" aria-label="Earlier">←</button>
      <button type="button" class="zoom-out" aria-label="Zoom out">−</button>
      <button type="button" class="zoom-in" aria-label="Zoom in">+</button>
      <button type="button" class="later" aria-label="Later">→</button>
      <button type="button" class="zoom-all">Whole run</button>
      <button type="button" class="all-lanes" hidden>Show all lanes</button>
    </div>
    ${
      verdict.verdict === "invalid" &&
      html`<div class="group" role="group" aria-label="Violations">
        <button type="button" class="previous-violation">‹ violation</button>
        <button type="button" class="next-violation">violation ›</button>
      </div>`
    }
  </div>`;
}

function legend(): Markup {
  return html`<p class="below">
    <span class="violation-name" role="status"></span>
    <span>shown: <span class="span-shown"></span></span>
    <span
      ><i class="swatch lease"></i> holds, lease in force <i class="swatch overrun"></i> holds, lease over
      <i class="swatch violation"></i> violation <i class="swatch fault"></i> fault <i class="swatch ok"></i> operation
      ok <i class="swatch fail"></i> refused <i class="swatch info"></i> unanswered</span
    >
  </p>`;
}

/** Filled by the page's own program, for the stretch that is shown. */
function figures(): Markup {
  const columns = ["operation", "ok", "refused", "unanswered", "median of ok", "longest ok"];
  return html`<details class="figures">
    <summary>Figures of the span shown</summary>
    <table>
      <thead>
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody></tbody>
    </table>
  </details>`;
}

/** The help that the frame of the timeline refers to by its id. */
function keysHelp(id: string): Markup {
  return html`<details class="keys">
    <summary>Keys and mouse</summary>
    <p id="${id}-keys">
      <kbd>←</kbd> <kbd>→</kbd> next item in the lane, <kbd>↑</kbd> <kbd>↓</kbd> next lane, <kbd>Shift</kbd> with
      <kbd>←</kbd> <kbd>→</kbd>, or <kbd>a</kbd> <kbd>d</kbd>, moves in time, <kbd>,</kbd> <kbd>.</kbd> cursor to the
      previous and the next event, <kbd>+</kbd> <kbd>-</kbd>, or <kbd>w</kbd> <kbd>s</kbd>, zoom, <kbd>0</kbd> whole
      run, <kbd>v</kbd> <kbd>V</kbd> next and previous violation, <kbd>/</kbd> search, <kbd>Esc</kbd> clears the
      selection. Drag to move, drag with <kbd>Shift</kbd> to zoom to what you mark, double-click or <kbd>Ctrl</kbd> with
      the wheel to zoom.
    </p>
  </details>`;
}

function filters(run: RunRecord): Markup {
  const lanes = lanesOf(timelineOf(run.history), run).map(({ name }, index) => [`lane:${index}`, name] as const);
  const kinds = [...OPERATIONS, "lease", "fault", "audit"].map((name) => [`kind:${name}`, name] as const);
  const types = ["invoke", "ok", "fail", "info"].map((name) => [`type:${name}`, name] as const);
  return html`<details class="filters">
    <summary>Filter</summary>
    ${boxes("operations", kinds)}${boxes("outcomes", types)}${boxes("lanes", lanes)}
  </details>`;
}

function boxes(legend: string, choices: readonly (readonly [hides: string, name: string])[]): Markup {
  return html`<fieldset>
    <legend>${legend}</legend>
    ${choices.map(([hides, name]) => html`<label><input type="checkbox" checked data-hides="${hides}" /> ${name}</label>`)}
  </fieldset>`;
}
