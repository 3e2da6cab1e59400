import type { LockEntry } from "../../lock-impl/lock-entry.ts";

/** The pages to link to. */
export interface AllLocks {
  readonly ladder: readonly LockEntry[];
  readonly alternatives: readonly LockEntry[];
  readonly specimens: readonly LockEntry[];
  readonly libraries: readonly LockEntry[];
}

/** The page about the whole ladder, as Markdown. */
export function ladderPage({ ladder, alternatives, specimens, libraries }: AllLocks): string {
  return [
    "# Locks",
    "",
    "## The ladder",
    "",
    "Each lock of the ladder fails in some way, and a later one fixes that. Start at the bottom: read what a lock",
    "promises, replay its counterexample, then go to the lock that fixes it.",
    "",
    ...ladder.flatMap((lock, index) => [`${index + 1}. ${rung(lock)}`]),
    "",
    "What remains at the top: every lock with leases trusts a clock, and no lock can stop a client that is paused",
    "past the end of its lease. Let the resource check fencing tokens; where that is not enough, take them from a store",
    "with consensus.",
    "",
    "## Beside the ladder",
    "",
    "Locks placed in other ways, and locks on other stores.",
    "",
    "| lock | what | fails | fixed by |",
    "|---|---|---|---|",
    ...alternatives.map(bugRow),
    "",
    "## One bug each",
    "",
    "Each of these locks is sound except for one bug of a kind seen in practice. The simulation finds every one of them;",
    "[the detection table](../benchmarks.md#detection) says how soon, and how small the counterexample becomes.",
    "",
    "| lock | bug | fails | fixed by |",
    "|---|---|---|---|",
    ...specimens.map(bugRow),
    "",
    "## Libraries",
    "",
    "Unmodified, from npm, with their defaults.",
    "",
    "| lock | what | fails | fixed by |",
    "|---|---|---|---|",
    ...libraries.map(bugRow),
    "",
    "In a clone, `npm run docs:locks` generates these pages from the locks' claims and from runs of the simulation.",
    "",
  ].join("\n");
}

function rung({ name, title, flawed, lesson }: LockEntry): string {
  const { fixedBy, how } = lesson;
  const next = fixedBy === undefined ? how : `${how} → [${fixedBy}](${fixedBy}.md)`;
  return `**[${name}](${name}.md)**${flawed ? " (flawed)" : ""}: ${title}. *Fails*: ${loss(lesson)}. *Fix*: ${next}`;
}

function bugRow({ name, title, flaw, lesson }: LockEntry): string {
  const { fixedBy } = lesson;
  const mended = fixedBy === undefined ? "-" : `[${fixedBy}](${fixedBy}.md)`;
  return `| [${name}](${name}.md) | ${(flaw ?? title).replaceAll("|", "\\|")} | ${loss(lesson)} | ${mended} |`;
}

function loss({ shows }: LockEntry["lesson"]): string {
  const { property, under, topology } = shows;
  return `${property} ${under === "none" ? "without a fault" : `under ${under}`} (${topology})`;
}
