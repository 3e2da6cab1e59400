import type { Recurrence } from "../../harness/core/recurrence.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";
import type { LibraryWorker } from "../../lock-impl/workers/workers.ts";
import { limitsTables } from "./limits-table.ts";
import { measuredTable, type Measured } from "./measured-table.ts";

/** What the page about the libraries is drawn from. */
export interface LibraryPage {
  readonly libraries: readonly LockEntry[];
  /** Those of other languages. */
  readonly workers: readonly LibraryWorker[];
  /** How those did on live servers. */
  readonly measured: Measured;
  /** The path of the plan of a lock's counterexample, relative to the project's root. */
  readonly planFileOf: (lock: LockEntry) => string;
  /** By lock: how often its counterexample came again. */
  readonly recurrences: Readonly<Record<string, Recurrence>>;
}

/** The page about lock libraries, as Markdown: what they promise, what breaks, and a command that shows it. */
export function libraryPage({ libraries, workers, measured, planFileOf, recurrences }: LibraryPage): string {
  return [
    "# Lock libraries",
    "",
    "In a clone, `npm run docs:libraries` generates this page from what is known of each library. The libraries run unmodified, with",
    "their own defaults and those of their Redis clients. One that is not here needs a [driver](drivers.md) of thirty lines, or in",
    "another language a [worker](other-languages.md).",
    "",
    "## What they promise",
    "",
    "| library | install | its own documentation says |",
    "|---|---|---|",
    ...libraries.map(promiseRow),
    ...workers.map(workerPromiseRow),
    "",
    "## What breaks, and under which faults",
    "",
    "A cell names the properties that break, and the faults under which each does; *none* means without any fault. In an empty cell",
    "there is nothing to tell. Sources are on the page of each library, and for those of other languages on",
    "[their page](other-languages.md#known-limits).",
    "",
    ...limitsTables([...libraries, ...workers]),
    "",
    "## Measured: those of other languages",
    "",
    ...measuredTable(workers, measured),
    "",
    "## The shortest counterexample of each",
    "",
    "Install the library first, as the table at the top says. The package contains these plans: the commands work in any project.",
    "",
    ...libraries.flatMap((lock) => counterexample(lock, planFileOf(lock), recurrences[lock.name])),
    "",
  ].join("\n");
}

function promiseRow({ name, title, npmPackage, documented }: LockEntry): string {
  return `| [${name}](locks/${name}.md): ${title.replace(/^npm /, "")} | \`npm install ${npmPackage ?? ""}\` | ${documented ?? ""} |`;
}

function workerPromiseRow({ name, title, language, documented }: LibraryWorker): string {
  return `| ${name}: ${title} | \`npx lockstorm setup --with ${language}\` | ${documented} |`;
}

function counterexample({ name, lesson }: LockEntry, plan: string, recurrence: Recurrence | undefined): string[] {
  const { property, topology, under } = lesson.shows;
  const { otherSeeds } = recurrence ?? {};
  const often =
    otherSeeds === undefined ? "" : ` The schedule fails with ${otherSeeds.failed} of ${otherSeeds.of} other seeds.`;
  const faults = under === "none" ? "without any fault" : `under ${under}`;
  return [
    `**${name}**: ${property} breaks ${faults} (${topology}).${often} *What helps*: ${lesson.how}`,
    "",
    `    npx lockstorm replay ${plan}`,
    "",
  ];
}
