import { html, type Markup } from "./markup.ts";
import { plainPage } from "./plain-page.ts";
import { capital } from "../../harness/core/words/capital.ts";

/** A scenario of the catalogue, as the gallery shows it. */
export interface GalleryItem {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly lock: string;
  readonly topology: string;
  readonly source: { readonly name: string; readonly link: string };
  /** Its violation over time, for a narrow place; absent where nothing is violated. */
  readonly picture?: Markup | undefined;
  /** Its report, as an address from the gallery. */
  readonly report: string;
}

const STYLE = `
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(340px, 100%), 1fr)); gap: 24px; padding: 0; list-style: none; }
.gallery li { border: 1px solid var(--line); border-radius: var(--radius); padding: 16px; min-width: 0; overflow-wrap: anywhere; }
.gallery h2 { font-size: 17px; margin: 0 0 4px; }
.gallery .slug { color: var(--soft); font-size: 13px; margin: 0 0 12px; }
.gallery .none { color: var(--soft); }
.gallery p { margin: 12px 0 0; }
`;

/** The catalogue as pictures: each schedule, what it breaks, and its report. */
export function renderGallery(items: readonly GalleryItem[]): string {
  const content = html`<p>
      <a href="index.html">All runs</a> · <a href="glossary.html">Glossary</a> · <a href="api.html">API reference</a>
    </p>
    <p>
      ${`${items.length} schedules that break a distributed lock on Redis, or that it must survive. Each was simulated for this page; its report has the timeline, the causes and the command that repeats it.`}
    </p>
    <p class="soft">
      In the pictures c-0 is client-0, a process that wants the lock; node-0 is a Redis server, and its bar says which
      client it thinks holds the lock; the resource is what the lock protects.
    </p>
    <ul class="gallery">
      ${items.map(
        ({ slug, title, summary, lock, topology, source, picture, report }) =>
          html`<li id="${slug}">
            <h2><a href="${report}">${capital(title)}</a></h2>
            <p class="slug">${slug}: lock ${lock} on ${topology}</p>
            ${picture === undefined ? html`<p class="none">No property is violated.</p>` : picture}
            <p>${summary}</p>
            <p class="soft">Source: <a href="${source.link}">${source.name}</a></p>
          </li>`,
      )}
    </ul>`;
  return plainPage({ title: "Catalogue of counterexamples", style: STYLE, content });
}
