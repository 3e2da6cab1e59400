import { printable, printableJson } from "../../harness/core/printable.ts";
import { PROPERTIES, type Outcome, type PropertyVerdict } from "../../harness/core/verdict.ts";
import type { FaultSpan } from "../run/fault-spans.ts";
import { marginWords } from "../run/margin-words.ts";
import type { RunRecord } from "../run/run-record.ts";
import { meaningIn } from "../run/share-words.ts";
import { listed } from "../../harness/core/listed.ts";
import { count, evidenceText, formatMsFigure, OUTCOME_WORD, reasonsTitle } from "../wording.ts";
import { html, lines, type Markup } from "./markup.ts";

const MARK: Readonly<Record<Outcome, string>> = { valid: "✓", invalid: "✗", unknown: "?", "not-applicable": "–" };

/** The verdict on each property, as a table. */
export function propertiesSection(run: RunRecord): Markup {
  const meaning = meaningIn(run);
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
        <td class="meaning">${meaning(property)}</td>
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

/** The command that replays the run, ready to be copied. */
export function replaySection({ replayCommand }: RunRecord): Markup | undefined {
  if (replayCommand === undefined) return undefined;
  return html`<div class="command replay">
    <pre tabindex="0"><code>${replayCommand}</code></pre>
    <button type="button" class="copy">Copy</button>
  </div>`;
}

/** The plan as it was run. */
export function planSection({ plan }: RunRecord): Markup {
  if (plan === undefined) return html`<p class="soft">The plan of this history is not available.</p>`;
  return html`<details>
    <summary>Seed ${plan.seed}, ${count(plan.faults.length, "fault")}, ${count(plan.clients.length, "client")}</summary>
    <div class="command">
      <pre tabindex="0"><code>${lines(printableJson(plan).trimEnd())}</code></pre>
      <button type="button" class="copy">Copy</button>
    </div>
  </details>`;
}
