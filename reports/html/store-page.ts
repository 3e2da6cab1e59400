import { createHash } from "node:crypto";
import { STORE_SCRIPT, STYLE } from "./assets.ts";
import { html, Markup } from "./markup.ts";
import type { ListedCampaign, ListedRun, StoreListing } from "./store-listing.ts";

const VERDICTS = ["invalid", "unknown", "valid", "unfinished"] as const;

/** Not written in a template: its hash in the content policy counts every space. */
const PROGRAM = new Markup(`<script type="module">${STORE_SCRIPT}</script>`);

const OWN_STYLE = `
form.filter { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; margin: 16px 0; }
form.filter label { display: grid; font-size: 13px; color: var(--soft); }
form.filter input, form.filter select { font: inherit; color: var(--ink); background: var(--page);
  border: 1px solid var(--line); border-radius: var(--radius); padding: 4px 8px; }
.again code { overflow-wrap: anywhere; }
table.store { border-collapse: collapse; width: 100%; }
table.store th, table.store td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); }
table.store td.invalid { color: var(--bad); font-weight: 600; }
table.store td.valid { color: var(--lease); }
table.store td.unknown, table.store td.unfinished { color: var(--unknown); }
@media (max-width: 640px) {
  table.store thead { display: none; }
  table.store, table.store tbody { display: block; }
  table.store tr { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 8px 0; border-bottom: 1px solid var(--line); }
  table.store td { border: 0; padding: 0; }
  table.store td.again { flex: 1 1 100%; }
}
`;

/**
 * The index of a store as one HTML file beside its runs: campaigns, and runs with filters that the address keeps. No
 * server and no network; without its script every run is shown.
 */
export function renderStorePage(listing: StoreListing): string {
  const { store, runs, campaigns, unreadable } = listing;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${contentPolicy()}" />
        <title>${store} - lockstorm</title>
        <style>
          ${new Markup(STYLE + OWN_STYLE)}
        </style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <h1>${store} <span class="brand">lockstorm runs</span></h1>
          <button type="button" class="theme">Theme: auto</button>
        </header>
        <main id="content">
          ${campaigns.length > 0 && campaignsSection(campaigns)} ${runsSection(runs, store)}
          ${
            unreadable.length > 0 &&
            html`<h2>Not readable</h2>
              <ul>
                ${unreadable.map(({ folder, why }) => html`<li><code>${folder}</code>: ${why}</li>`)}
              </ul>`
          }
        </main>
        ${PROGRAM}
      </body>
    </html>`;
  return `${page.text}\n`;
}

/** Nothing is fetched, and only the page's own script runs, even if a plan or a history contains markup. */
function contentPolicy(): string {
  const digest = createHash("sha256").update(STORE_SCRIPT).digest("base64");
  return `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
}

function campaignsSection(campaigns: readonly ListedCampaign[]): Markup {
  return html`<h2>Hunts and tables</h2>
    <ul class="campaigns">
      ${campaigns.map(
        ({ name, about, page }) =>
          html`<li>${page === undefined ? name : html`<a href="${addressOf(page)}">${name}</a>`}: ${about}</li>`,
      )}
    </ul>`;
}

function runsSection(runs: readonly ListedRun[], store: string): Markup {
  if (runs.length === 0) {
    return html`<h2>Runs</h2>
      <p>No run is kept here. <code>npx lockstorm reproduce async-failover</code> keeps one.</p>`;
  }
  const locks = [...new Set(runs.map(({ lock }) => lock))].toSorted();
  return html`<h2>Runs</h2>
    <form class="filter">
      <label>Verdict ${chooser("verdict", VERDICTS)}</label>
      <label>Lock ${chooser("lock", locks)}</label>
      <label>Words <input type="search" name="words" /></label>
      <output class="count">${`${runs.length} of ${runs.length} runs`}</output>
    </form>
    <div class="scroll">
      <table class="store">
        <thead>
          <tr>
            ${["Verdict", "Run", "Causes", "Lock", "Faults", "Began (UTC)", "Again"].map(
              (heading) => html`<th scope="col">${heading}</th>`,
            )}
          </tr>
        </thead>
        <tbody class="runs">
          ${runs.map((run) => row(run, store))}
        </tbody>
      </table>
    </div>`;
}

function chooser(name: string, words: readonly string[]): Markup {
  return html`<select name="${name}">
    <option value="">all</option>
    ${words.map((word) => html`<option>${word}</option>`)}
  </select>`;
}

function row(run: ListedRun, store: string): Markup {
  const { folder, began, title, verdict, lock, topology, backend, seed, faults, causes, hasReport } = run;
  return html`<tr data-verdict="${verdict}" data-lock="${lock}">
    <td class="${verdict}">${verdict}</td>
    <td>${hasReport ? html`<a href="${addressOf(`${folder}/report.html`)}">${title}</a>` : title}</td>
    <td>${causes.join(", ")}</td>
    <td>${lock} on ${topology}, ${backend}</td>
    <td>${faults.length === 0 ? "none" : faults.join(", ")}</td>
    <td>${began}${seed === undefined ? "" : `, seed ${seed}`}</td>
    <td class="again"><code>npx lockstorm replay ${store}/${folder}/plan.json</code></td>
  </tr>`;
}

/** A path within the store as an address: no name of a folder leads out of it. */
function addressOf(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
