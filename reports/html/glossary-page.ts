import { html, type Markup } from "./markup.ts";
import { plainPage } from "./plain-page.ts";
import { capital } from "../../harness/core/words/capital.ts";

/** Words of one kind, and what they mean. */
export interface GlossaryPart {
  readonly title: string;
  readonly about: string;
  readonly words: readonly {
    readonly word: string;
    readonly meaning: string;
    readonly details: readonly string[];
    readonly see: readonly string[];
    readonly command?: string | undefined;
  }[];
}

const STYLE = `
dl.glossary { margin: 0; }
@media (min-width: 1100px) {
  dl.glossary { columns: 2; column-gap: 48px; }
  dl.glossary dt { break-after: avoid; }
  dl.glossary dd { break-inside: avoid; }
}
dl.glossary dt { font-weight: 600; margin-top: 16px; scroll-margin-top: 16px; }
dl.glossary dd { margin: 4px 0 0; max-width: 76ch; overflow-wrap: anywhere; }
`;

/** The words of reports and what they mean; each has an address: `glossary.html#partition`. */
export function renderGlossary(parts: readonly GlossaryPart[]): string {
  const known = new Set(parts.flatMap(({ words }) => words.map(({ word }) => idOf(word))));
  const content = html`<p>
      <a href="index.html">All runs</a> · <a href="catalogue.html">Catalogue</a> · <a href="api.html">API reference</a>
    </p>
    <p>
      The words of the reports of lockstorm, which tests locks on Redis under faults: what can happen, what must hold,
      why it broke.
    </p>
    <ul class="contents">
      ${parts.map(({ title }) => html`<li><a href="#${idOf(title)}">${title}</a></li>`)}
    </ul>
    ${parts.map(
      ({ title, about, words }) =>
        html`<h2 id="${idOf(title)}">${title}</h2>
          <p class="soft">${about}</p>
          <dl class="glossary">
            ${words.map(
              ({ word, meaning, details, see, command }) =>
                html`<dt id="${idOf(word)}">${word}</dt>
                  <dd>
                    ${[`${capital(meaning)}.`, ...details].join(" ")}
                    ${see.length > 0 && html` See ${listOf(see, known)}.`}
                    ${command !== undefined && html`<br /><code>npx ${command}</code>`}
                  </dd>`,
            )}
          </dl>`,
    )}`;
  return plainPage({ title: "Glossary", style: STYLE, content });
}

function listOf(words: readonly string[], known: ReadonlySet<string>): readonly Markup[] {
  return words.map((word, place) => {
    const comma = place === 0 ? "" : ", ";
    return known.has(idOf(word)) ? html`${comma}<a href="#${idOf(word)}">${word}</a>` : html`${comma}${word}`;
  });
}

/** A word as the part of an address after \`#\`. */
function idOf(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
