import type { LockEntry } from "../../../lock-impl/lock-entry.ts";

/** What there is to link to. */
export interface AllLocks {
  readonly ladder: readonly LockEntry[];
  readonly alternatives: readonly LockEntry[];
  readonly specimens: readonly LockEntry[];
  readonly libraries: readonly LockEntry[];
}

/** The page that leads up the ladder, as Markdown. */
export function ladderPage({ ladder, alternatives, specimens, libraries }: AllLocks): string {
  return [
    "# Locks",
    "",
    "These pages are made from the locks' own claims and from runs of the simulation: `npm run docs:locks`.",
    "",
    "## The ladder",
    "",
    "Each rung is lost in some way, and the next ones say what can be done about it. Climb it from below: read what a rung",
    "promises, replay its counterexample, then go where it is mended.",
    "",
    ...ladder.flatMap((lock, index) => [`${index + 1}. ${rung(lock)}`]),
    "",
    "What is left at the top: every lock with leases trusts somebody's clock, and no lock can hold back a client that sleeps",
    "through the end of its lease. Let the resource check fencing tokens; where that is not enough, take them from a store",
    "that reaches consensus.",
    "",
    "## Beside the ladder",
    "",
    "Other ways to place a lock, and other stores to keep it in.",
    "",
    "| lock | what | lost | mended by |",
    "|---|---|---|---|",
    ...alternatives.map(bugRow),
    "",
    "## One bug each",
    "",
    "Sound locks but for one bug of a kind seen in the wild. The simulation catches each of them; how soon, and how small the",
    "counterexample becomes, is in [the detection table](../benchmarks.md#detection).",
    "",
    "| lock | bug | lost | mended by |",
    "|---|---|---|---|",
    ...specimens.map(bugRow),
    "",
    "## Libraries",
    "",
    "Unmodified, from npm, with their defaults.",
    "",
    "| lock | what | lost | mended by |",
    "|---|---|---|---|",
    ...libraries.map(bugRow),
    "",
  ].join("\n");
}

function rung({ name, title, flawed, lesson }: LockEntry): string {
  const { mendedBy, how } = lesson;
  const next = mendedBy === undefined ? how : `${how} → [${mendedBy}](${mendedBy}.md)`;
  return `**[${name}](${name}.md)**${flawed ? " (flawed)" : ""}: ${title}. *Lost*: ${loss(lesson)}. *Mended*: ${next}`;
}

function bugRow({ name, title, flaw, lesson }: LockEntry): string {
  const { mendedBy } = lesson;
  const mended = mendedBy === undefined ? "-" : `[${mendedBy}](${mendedBy}.md)`;
  return `| [${name}](${name}.md) | ${(flaw ?? title).replaceAll("|", "\\|")} | ${loss(lesson)} | ${mended} |`;
}

function loss({ shows }: LockEntry["lesson"]): string {
  const { property, under, topology } = shows;
  return `${property} ${under === "none" ? "without a fault" : `under ${under}`} (${topology})`;
}
