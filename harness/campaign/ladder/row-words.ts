import { listed } from "../../core/listed.ts";
import { rowName } from "./cells.ts";
import type { Found } from "./ladder-journal.ts";

const IN_WORDS = {
  broken: "broken under",
  unknown: "undecided under",
  simulated: "broken in simulation only under",
  outlived: "a client outlives its lease under",
  holds: "holds under",
} as const satisfies Readonly<Record<Found["found"], string>>;

/** Of a longer list the rest is counted: the table shows it. */
const MOST_LISTED = 6;

/** A finished row of the table as one line: `redlock: broken under clock-jump and power-loss; holds under no fault`. */
export function rowWords(row: readonly Found[]): string {
  const [first] = row;
  if (first === undefined) return "";
  const parts = (Object.keys(IN_WORDS) as Found["found"][]).flatMap((outcome) => {
    const under = row.filter(({ found }) => found === outcome).map(({ cell }) => cell.fault?.kind ?? "no fault");
    if (under.length === 0) return [];
    const some = under.slice(0, MOST_LISTED);
    const more = under.length - some.length;
    return [`${IN_WORDS[outcome]} ${more > 0 ? `${some.join(", ")} and ${more} more` : listed(some)}`];
  });
  return `${rowName(first.cell)}: ${parts.join("; ")}`;
}
