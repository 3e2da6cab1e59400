const MOST_LETTERS = 200;

/** A number of its own, or one that belongs to a name, such as UTF-8, SHA-1, RESP3 and Redis 7.4. */
const NUMBERS =
  /\b(?:[A-Z]{2,}-?|(?:Redis|Valkey|Lua|Python|Node\.js|Java|Go|PHP|Ruby) )\d+(?:[.-]\d+)*|\d+\^\d+|-?\d+(?:[.,]\d+)*/gu;

const GROUPS = "[\\da-f]{1,4}(?::[\\da-f]{1,4})*";

/** An IP address, of version 4 or (one that is shortened, such as ::1) 6, and its port. Real servers have others in each run. */
const ADDRESSES = new RegExp(
  String.raw`(?<![\w:.])(?:\d{1,3}(?:\.\d{1,3}){3}|\[?(?:${GROUPS})?::(?:${GROUPS})?\]?)(?::\d+)?(?![\w:]|\.\d)`,
  "giu",
);

/**
 * The kind of a reason: the reason without the parts that differ from run to run, namely times, numbers, addresses, owner
 * values, names of clients and nodes, and the evidence of one fault. Runs that decided nothing for the same kind of reason
 * count together.
 */
export function reasonKind(reason: string): string {
  const kind = reason
    .replace(
      / (?:of .+?)?(, healing,)? ?at -?[\d.,]+ ms \(event \d+\) (was skipped.*|was not seen to take effect).*$/su,
      "$1 $2",
    )
    .replace(/ was skipped: the (?:first|\d+(?:st|nd|rd|th)) /u, " was skipped: the k-th ")
    // A log of this one run.
    .replaceAll(/; what it printed is in \S+/gu, "")
    .replaceAll(/"[^"]*"/gu, '"…"')
    .replaceAll(ADDRESSES, "an address")
    .replaceAll(/\b[\da-f]{8,}…?/giu, "…")
    .replaceAll(/\b(client|node|sentinel)-\d+/gu, "$1")
    // Without its numbers this would say that all were done.
    .replaceAll(/[\d,]+ of [\d,]+ critical sections? done/gu, "critical sections undone")
    // A name is the same in every run, as is a power that is a bound, such as 2^53.
    .replaceAll(NUMBERS, (number) => (/^[A-Z]|\^/.test(number) ? number : "N"))
    .replaceAll(/\b(\w+)(?:(?:, | and )\1\b)+/gu, "$1")
    .replaceAll(/\s+/gu, " ")
    .trim();
  return kind.length <= MOST_LETTERS ? kind : `${kind.slice(0, MOST_LETTERS - 1)}…`;
}
