import { replayCommandOf } from "../../harness/core/words/shell-word.ts";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { count } from "../wording.ts";
import { STORE_SCRIPT, STYLE } from "./assets.ts";
import { html, Markup } from "./markup.ts";
import { readable } from "./page-data.ts";
import { ROWS_AT_ONCE } from "./browser/store/store-filter.ts";
import { outcomesSection } from "./store-outcomes.ts";
import type { ListedCampaign, ListedRun, StoreData, StoreListing } from "./store-listing.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";

const VERDICTS = ["invalid", "unknown", "valid", "unfinished"] as const;

/** Not written in a template: its hash in the content policy counts every space. */
const PROGRAM = new Markup(`<script type="module">${STORE_SCRIPT}</script>`);

const OWN_STYLE = `
main > h2 { margin-top: 28px; }
.campaigns progress { margin-left: 8px; width: 120px; vertical-align: middle; accent-color: var(--note); }
.pages { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; margin: 12px 0; }
.pages[hidden] { display: none; }
.live { color: var(--soft); font-size: 13px; margin: 0; }
.live:empty { display: none; }
table.outcomes { border-collapse: collapse; }
table.outcomes th, table.outcomes td { text-align: left; font-weight: normal; padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
table.outcomes td.breaks, table.outcomes td.new, table.outcomes td.known { color: var(--bad); }
table.outcomes td.new { font-weight: 600; }
table.outcomes td.fixed { color: var(--lease); font-weight: 600; }
table.outcomes td.unknown { color: var(--unknown); }
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

/** How the page of a store is used. */
export interface StorePageOptions {
  /** The address of server-sent events that tell what is new; absent for a page from a file. */
  readonly live?: string | undefined;
  /** Links to further pages beside it. */
  readonly links?: readonly { readonly page: string; readonly text: string }[];
}

/**
 * The index of a store as one HTML file beside its runs: campaigns, what they came to over commits, and runs with
 * filters that the address keeps. It carries all runs, compressed, and lays out a page of them at a time. No network, and
 * no server unless it is live; without its script the newest runs are shown.
 */
export function renderStorePage(listing: StoreListing, { live, links = [] }: StorePageOptions = {}): string {
  const { store, runs, campaigns, outcomes, unreadable } = listing;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${contentPolicy(live !== undefined)}" />
        <title>${store} - lockstorm</title>
        <style>
          ${new Markup(STYLE + OWN_STYLE)}
        </style>
      </head>
      <body ${live === undefined ? "" : new Markup(`data-live="${live}"`)}>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <h1>Runs of lockstorm <span class="brand">${store}</span></h1>
          <button type="button" class="theme">Theme: auto</button>
        </header>
        <main id="content">
          <p>
            lockstorm tests locks under faults. A run is one schedule: what the clients of a lock do, and which faults
            hit them when. <strong>Invalid</strong>: a property broke, and the run shows how. <strong>Unknown</strong>:
            the run proves nothing.
          </p>
          ${live !== undefined && html`<p class="live" role="status"></p>`}
          ${
            links.length > 0 &&
            html`<ul class="pages-beside">
              ${links.map(({ page: file, text }) => html`<li><a href="${addressOf(file)}">${text}</a></li>`)}
            </ul>`
          }
          ${(campaigns.length > 0 || live !== undefined) && campaignsSection(campaigns)}
          ${runsSection(runs, { store, live: live !== undefined })} ${outcomesSection(outcomes)}
          ${
            unreadable.length > 0 &&
            html`<h2>Not readable</h2>
              <ul>
                ${unreadable.map(({ folder, why }) => html`<li><code>${folder}</code>: ${why}</li>`)}
              </ul>`
          }
        </main>
        ${dataOf({ store, runs })} ${PROGRAM}
      </body>
    </html>`;
  return `${page.text}\n`;
}

function dataOf(data: StoreData): Markup {
  const packed = gzipSync(JSON.stringify(data, readable), { level: 7 }).toString("base64");
  return html`<script type="application/octet-stream" class="store-data">
    ${new Markup(packed)}
  </script>`;
}

/** Nothing is fetched but what is new, and only the page's own script runs, even if a plan or a history contains markup. */
function contentPolicy(live: boolean): string {
  const digest = createHash("sha256").update(STORE_SCRIPT).digest("base64");
  const connect = live ? "connect-src 'self'; " : "";
  return `default-src 'none'; ${connect}style-src 'unsafe-inline'; script-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
}

function campaignsSection(campaigns: readonly ListedCampaign[]): Markup {
  return html`<h2>Hunts, explorations and tables</h2>
    <ul class="campaigns">
      ${campaigns.map(
        ({ name, about, page }) =>
          html`<li>${page === undefined ? name : html`<a href="${addressOf(page)}">${name}</a>`}: ${about}</li>`,
      )}
    </ul>`;
}

function runsSection(
  runs: readonly ListedRun[],
  { store, live }: { readonly store: string; readonly live: boolean },
): Markup {
  if (runs.length === 0 && !live) {
    return html`<h2>Runs</h2>
      <p>No run is kept here. <code>npx lockstorm reproduce async-failover</code> keeps one.</p>`;
  }
  const locks = [...new Set(runs.map(({ lock }) => lock))].toSorted();
  const shown = runs.slice(0, ROWS_AT_ONCE);
  return html`<h2>Runs</h2>
    <form class="filter">
      <label>Verdict ${chooser("verdict", VERDICTS)}</label>
      <label>Lock ${chooser("lock", locks)}</label>
      <label>Search <input type="search" name="words" /></label>
      <output class="count">${`${inFigures(shown.length)} of ${count(runs.length, "run")}`}</output>
    </form>
    <div class="scroll" tabindex="0" role="region" aria-label="Runs">
      <table class="store">
        <thead>
          <tr>
            ${["Verdict", "Run", "Causes", "Lock", "Faults", "Began (UTC)", "Command that runs it again"].map(
              (heading) => html`<th scope="col">${heading}</th>`,
            )}
          </tr>
        </thead>
        <tbody class="runs">
          ${shown.map((run) => row(run, store))}
        </tbody>
      </table>
    </div>
    <nav class="pages" aria-label="Pages of runs" hidden>
      <button type="button" class="newer">Newer</button>
      <span class="page-number" role="status"></span>
      <button type="button" class="older">Older</button>
    </nav>`;
}

function chooser(name: string, words: readonly string[]): Markup {
  return html`<select name="${name}">
    <option value="">all</option>
    ${words.map((word) => html`<option>${word}</option>`)}
  </select>`;
}

function row(run: ListedRun, store: string): Markup {
  const { folder, began, title, verdict, lock, topology, backend, seed, faults, causes, hasReport } = run;
  return html`<tr>
    <td class="${verdict}">${verdict}</td>
    <td>${hasReport ? html`<a href="${addressOf(`${folder}/report.html`)}">${title}</a>` : title}</td>
    <td>${causes.join(", ")}</td>
    <td>${lock} on ${topology}, ${backend}</td>
    <td>${faults.length === 0 ? "none" : faults.join(", ")}</td>
    <td>${began}${seed === undefined ? "" : `, seed ${seed}`}</td>
    <td class="again"><code>${replayCommandOf(`${store}/${folder}/plan.json`)}</code></td>
  </tr>`;
}

/** A path within the store as an address: no name of a folder leads out of it. */
function addressOf(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
