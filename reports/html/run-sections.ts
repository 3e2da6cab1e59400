import { printable, printableJson } from "../../harness/core/printable.ts";
import { meaningOf, PROPERTIES, type Outcome, type PropertyVerdict } from "../../harness/core/verdict.ts";
import type { FaultSpan } from "../run/fault-spans.ts";
import { marginWords } from "../run/margin-words.ts";
import { momentsOf } from "../run/moments.ts";
import type { RunRecord } from "../run/run-record.ts";
import type { Story } from "../run/story.ts";
import { drawStory } from "../run/svg.ts";
import type { Timeline } from "../run/timeline.ts";
import { listed } from "../../harness/core/listed.ts";
import {
  CAUSE_MEANING,
  count,
  evidenceText,
  formatMs,
  formatMsFigure,
  OUTCOME_WORD,
  reasonsTitle,
} from "../wording.ts";
import { html, lines, Markup } from "./markup.ts";

const MOST_MOMENTS = 24;
/** Violations shown in full; each further one gets a line. The timeline marks all of them. */
const MOST_SHOWN = 8;
const MARK: Readonly<Record<Outcome, string>> = { valid: "✓", invalid: "✗", unknown: "?", "not-applicable": "–" };

/** The verdict on each property, as a table. */
export function propertiesSection(run: RunRecord): Markup {
  const rows = PROPERTIES.flatMap((property) => {
    const judged = run.verdict.properties[property];
    if (judged === undefined) return [];
    const asked = run.verdict.required.includes(property);
    return [
      html`<tr class="outcome-${judged.verdict}">
        <th scope="row"><span class="mark" aria-hidden="true">${MARK[judged.verdict]}</span> ${property}</th>
        <td class="outcome">${OUTCOME_WORD[judged.verdict]}</td>
        <td>
          ${propertyNote(judged)}${!asked && judged.verdict !== "not-applicable" && html` <em>not required of this lock</em>`}
        </td>
        <td class="meaning">${meaningOf(property)}</td>
      </tr>`,
    ];
  });
  return html`<table class="properties">
      <caption class="unseen">
        Properties and what was found
      </caption>
      <thead>
        <tr>
          <th scope="col">property</th>
          <th scope="col">found</th>
          <th scope="col">why</th>
          <th scope="col" class="meaning">what it asks</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
    ${noteList(reasonsTitle(run.verdict.verdict), run.verdict.reasons)}${noteList("Remarks", run.verdict.remarks)}${noteList("How close it was", marginWords(run.verdict.margins))}`;
}

function propertyNote({ verdict, violations, reason }: PropertyVerdict): string {
  if (verdict !== "invalid") return reason ?? "";
  return `${count(violations.length, "violation")}: ${[...new Set(violations.map(({ cause }) => cause))].join(", ")}`;
}

function noteList(title: string, notes: readonly string[]): Markup {
  if (notes.length === 0) return html``;
  return html`<h3>${title}</h3>
    <ul class="notes">
      ${notes.map((note) => html`<li>${note}</li>`)}
    </ul>`;
}

/**
 * Each violation with its cause, its moments and its diagram.
 * @param id names the run within the page
 */
export function violationsSection(run: RunRecord, stories: readonly Story[], timeline: Timeline, id: string): Markup {
  const shown = stories
    .slice(0, MOST_SHOWN)
    .map((story, index) => violationCard(run, story, index, stories.length, timeline, id));
  const rest = stories.slice(MOST_SHOWN).map(
    (story, index) =>
      html`<li>
        <button type="button" class="link show-violation" data-violation="${index + MOST_SHOWN}">
          at ${formatMs(story.violation.overlap?.from ?? story.window.from)}
        </button>
        ${CAUSE_MEANING[story.violation.cause]} (${listed(story.properties)})
      </li>`,
  );
  return html`${shown}${
    rest.length > 0 &&
    html`<details class="card">
      <summary>${count(rest.length, "further violation")}</summary>
      <ul>
        ${rest}
      </ul>
    </details>`
  }`;
}

function violationCard(
  run: RunRecord,
  story: Story,
  index: number,
  total: number,
  timeline: Timeline,
  id: string,
): Markup {
  const { cause } = story.violation;
  const { moments, leftOut } = momentsOf(story, timeline, MOST_MOMENTS);
  const svg = drawStory(run, story, timeline, false);
  const rows = moments.map(
    ({ time, index: event, text }) =>
      html`<tr>
        <td class="figure">${(time / 1e6).toFixed(1)}</td>
        <td class="figure">
          ${event !== undefined && html`<button type="button" class="link show-event" data-event="${event}">#${event}</button>`}
        </td>
        <td>${text}</td>
      </tr>`,
  );
  return html`<article class="card violation">
    <h3>
      <span class="badge invalid">${total > 1 && html`${index + 1} of ${total}: `}${cause}</span>
      ${sentence(CAUSE_MEANING[cause])}
    </h3>
    <p class="broken">breaks ${listed(story.properties)}</p>
    ${story.explanations.map((explanation) => html`<p class="explanation">${explanation}</p>`)}
    <p><button type="button" class="primary show-violation" data-violation="${index}">Show in the timeline</button></p>
    <div class="side-by-side">
      <div>
        <h4>What happened</h4>
        <table class="moments">
          <thead>
            <tr>
              <th scope="col" class="figure">ms</th>
              <th scope="col" class="figure">event</th>
              <th scope="col">what</th>
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
        ${leftOut > 0 && html`<p class="soft">and ${count(leftOut, "further event")}</p>`}
      </div>
      <details class="diagram" ${index === 0 ? new Markup("open") : ""}>
        <summary>Messages and time</summary>
        <div class="scroll" tabindex="0" role="region" aria-label="Space-time diagram">
          ${alone(svg, `${id}-${index}`)}
        </div>
      </details>
    </div>
  </article>`;
}

/** Several diagrams share a page: definitions and styles of one must not affect another. */
function alone(svg: string, name: string): Markup {
  const named = svg.replaceAll(/(id="|url\(#)(ls-[a-z-]+)/g, `$1$2-${name}`);
  return new Markup(named.replaceAll("lockstorm-diagram", `lockstorm-diagram-${name}`));
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The faults with the evidence that they took effect. */
export function faultsSection(faults: readonly FaultSpan[]): Markup {
  if (faults.length === 0) return html`<p class="soft">No fault was injected.</p>`;
  const rows = faults.map(
    ({ kind, targets, outcome, from, to, evidence, healEvidence, healed, started }) =>
      html`<tr>
        <th scope="row">${kind}</th>
        <td>${listed(targets.map(printable))}</td>
        <td class="figure">${formatMsFigure(from)}</td>
        <td class="figure">${to > from ? formatMsFigure(to) : ""}</td>
        <td><span class="badge ${outcome}">${outcome}</span></td>
        <td>
          ${evidence === undefined ? "no evidence recorded" : evidenceText(evidence)}${
            healEvidence !== undefined && html`<br /><span class="soft">healed: ${evidenceText(healEvidence)}</span>`
          }${healed === undefined && to > from && html`<br /><span class="soft">never healed</span>`}
        </td>
        <td><button type="button" class="link show-event" data-event="${started}">#${started}</button></td>
      </tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Faults">
    <table class="faults">
      <thead>
        <tr>
          <th scope="col">fault</th>
          <th scope="col">hits</th>
          <th scope="col" class="figure">from ms</th>
          <th scope="col" class="figure">to ms</th>
          <th scope="col">outcome</th>
          <th scope="col">evidence</th>
          <th scope="col">event</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** The command that replays the run, and the plan. */
export function planSection({ plan, replayCommand }: RunRecord): Markup {
  if (plan === undefined && replayCommand === undefined)
    return html`<p class="soft">The plan of this history is not available.</p>`;
  return html`${
    replayCommand !== undefined &&
    html`<div class="command">
      <pre tabindex="0"><code>${replayCommand}</code></pre>
      <button type="button" class="copy">Copy</button>
    </div>`
  }${
    plan !== undefined &&
    html`<details>
      <summary>
        The plan: seed ${plan.seed}, ${count(plan.faults.length, "fault")}, ${count(plan.clients.length, "client")}
      </summary>
      <div class="command">
        <pre tabindex="0"><code>${lines(printableJson(plan).trimEnd())}</code></pre>
        <button type="button" class="copy">Copy</button>
      </div>
    </details>`
  }`;
}
