import { faultWords } from "../campaign/summary.ts";
import { html, type Markup } from "./markup.ts";
import type { ListedOutcome } from "./store-listing.ts";

/** The newest campaigns of a name that are shown. */
const MOST_COLUMNS = 12;

type Standing = "holds" | "outlived" | "breaks" | "new" | "known" | "fixed" | "unknown" | "absent";

const WORDS: Readonly<Record<Standing, string>> = {
  holds: "holds",
  outlived: "holds, a client outlived its lease",
  breaks: "breaks",
  new: "breaks, new",
  known: "breaks, known",
  fixed: "holds, fixed",
  unknown: "unknown",
  absent: "not searched",
};

/** What campaigns came to over commits, the newest first: which cells break now and did not before, and the reverse. */
export function outcomesSection(outcomes: readonly ListedOutcome[]): Markup | false {
  const names = [...new Set(outcomes.map(({ name }) => name))];
  if (names.length === 0) return false;
  const byName = names.map((name) => ({ name, own: outcomes.filter((outcome) => outcome.name === name) }));
  const single = byName.filter(({ own }) => own.length === 1).map(({ name }) => name);
  return html`<h2>Over commits</h2>
    ${byName.filter(({ own }) => own.length > 1).map(({ name, own }) => outcomeTable(name, own))}
    ${
      single.length > 0 &&
      html`<p class="soft">${`Only one result so far, so nothing to compare: ${single.join(", ")}.`}</p>`
    }`;
}

function outcomeTable(name: string, outcomes: readonly ListedOutcome[]): Markup {
  const columns = standings(outcomes).slice(-MOST_COLUMNS).toReversed();
  const cells = [...new Set(columns.flatMap(({ standing }) => [...standing.keys()]))];
  const told = cells.filter((cell) => columns.some(({ standing }) => !isQuiet(standing.get(cell))));
  const quiet = cells.length - told.length;
  const shown = told.length === 0 ? cells.slice(0, 1) : told;
  const left = cells.length - shown.length;
  return html`<h3>${name}</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="${name} over commits">
      <table class="outcomes">
        <thead>
          <tr>
            <th scope="col">Lock and fault</th>
            ${columns.map(
              ({ outcome: { commit, at } }) =>
                html`<th scope="col">
                  <code>${commit === undefined ? "no commit" : commit.slice(0, 8)}</code><br />${at}
                </th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${shown.map(
            (cell) =>
              html`<tr>
                <th scope="row">${cell}</th>
                ${columns.map(({ standing }) => {
                  const word = standing.get(cell) ?? "absent";
                  return html`<td class="${word}">${WORDS[word]}</td>`;
                })}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${quiet > 0 && left > 0 && html`<p class="soft">${`${left} more held in each of these.`}</p>`}`;
}

function isQuiet(standing: Standing | undefined): boolean {
  return standing === undefined || standing === "holds" || standing === "outlived";
}

/** How each cell stands in each campaign, beside the campaign before that searched it. */
function standings(
  outcomes: readonly ListedOutcome[],
): readonly { readonly outcome: ListedOutcome; readonly standing: ReadonlyMap<string, Standing> }[] {
  const broke = new Map<string, boolean>();
  return outcomes.map((outcome) => ({
    outcome,
    standing: new Map(
      outcome.cells.map(({ lock, fault, found }) => {
        const cell = `${lock} under ${faultWords(fault)}`;
        const before = broke.get(cell);
        const breaks = found === "broken";
        // What nobody knows changes nothing of what was known.
        if (breaks || found === "holds" || found === "outlived") broke.set(cell, breaks);
        return [cell, standingOf(found, before)] as const;
      }),
    ),
  }));
}

function standingOf(found: string, before: boolean | undefined): Standing {
  if (found === "broken") return before === undefined ? "breaks" : before ? "known" : "new";
  if (found === "holds" || found === "outlived") return before === true ? "fixed" : found;
  return "unknown";
}
