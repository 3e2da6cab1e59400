import { NOTE_KINDS, type NoteKind } from "../../harness/core/run-note.ts";
import type { SummaryNote } from "./summary.ts";
import { TextStyle, type TextOptions } from "../text-style.ts";
import { printable } from "../../harness/core/printable.ts";
import { count } from "../wording.ts";

/** Limit for each kind; the JSON has all. */
const MOST_LINES = 10;

/** The heading of each kind of note. */
const HEADINGS: Readonly<Record<NoteKind, string>> = {
  crashed: "The lock crashed its client",
  flooded: "The lock flooded a server, and the run was stopped",
  undecided: "Unknown, by reason",
  "programmer-error": "Operations ended by a mistake in the code of the driver or of its library",
  "not-claimed": "Broke a property that the lock does not claim",
  "not-promisable": "Broke a property that no lock can guarantee there",
  "not-asked": "Broke a property that was not required",
  outlived: "Clients outlived their leases; what the resource did with their late writes",
  slow: "Slow, or refused without need, although no fault held it up",
  "nothing-promised": "No property is guaranteed there",
  untested: "Tested by no run, so that the verdict says nothing about it",
};

/** The notes of a campaign by kind, as every report prints them. */
export function noteGroups(
  notes: readonly SummaryNote[] = [],
): readonly { readonly kind: NoteKind; readonly heading: string; readonly lines: readonly string[] }[] {
  return NOTE_KINDS.flatMap((kind) => {
    const ofKind = notes.filter((note) => note.kind === kind);
    const rest = ofKind.slice(MOST_LINES);
    const more = rest.length === 0 ? [] : [`${count(rest.length, "further kind")}, ${runsOf(rest)} in all`];
    const lines = [...ofKind.slice(0, MOST_LINES).map(noteWords), ...more];
    return lines.length === 0 ? [] : [{ kind, heading: HEADINGS[kind], lines }];
  });
}

function runsOf(notes: readonly SummaryNote[]): string {
  return count(
    notes.reduce((sum, { runs }) => sum + runs, 0),
    "run",
  );
}

/** `lease-exclusion under clock-jump (probably clock-jump): 3 runs, first: npx lockstorm replay ...` */
function noteWords({ what, runs, place, replay }: SummaryNote): string {
  const first = replay ?? place;
  // A reason in a driver's own words may end a sentence.
  return `${what.replace(/[\s.:;,]+$/u, "")}: ${count(runs, "run")}${first === undefined ? "" : `, first: ${first}`}`;
}

/** The notes as text, a paragraph for each kind. Empty without notes, else ends with a line feed. */
export function renderNotes(notes: readonly SummaryNote[] | undefined, options: TextOptions): string {
  const style = new TextStyle(options);
  return noteGroups(notes)
    .map(({ heading, lines }) => {
      const items = lines.flatMap((line) => style.hanging({ text: "  -" }, printable(line), 4));
      return `\n${[...style.paragraph(heading).map((line) => style.paint(line, "bold")), ...items].join("\n")}\n`;
    })
    .join("")
    .replaceAll("\u{a0}", " ");
}
