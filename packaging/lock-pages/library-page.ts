import type { Recurrence } from "../../harness/core/recurrence.ts";
import type { TopologyKind } from "../../harness/core/topologies/registry.ts";
import { type Property, PROPERTIES } from "../../harness/core/verdict.ts";
import { leaseLimits } from "../../lock-impl/claim-tables.ts";
import type { Limit } from "../../lock-impl/claims.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";
import type { LibraryWorker } from "../../lock-impl/workers/workers.ts";
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
  const properties = PROPERTIES.filter((property) =>
    [...libraries, ...workers].some(({ limits }) => limits.some((limit) => limit.property === property)),
  );
  return [
    "# Lock libraries",
    "",
    "`npm run docs:libraries` generates this page from what is known of each library. The libraries run unmodified, with their own",
    "defaults and those of their Redis clients. One that is not here needs a [driver](drivers.md) of thirty lines, or in another",
    "language a [worker](other-languages.md).",
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
    "*none* means without any fault. Every lock with leases breaks where clocks are wrong, servers forget, or a client goes on after",
    "its lease. What a sound lock on the same servers would not lose is in **bold**, with its source on the page of the library, or for",
    "those of other languages on [their page](other-languages.md#known-limits). An empty cell: nothing is known to break it.",
    "",
    `| library | topology | ${properties.join(" | ")} |`,
    `|---|---|${properties.map(() => "---").join("|")}|`,
    ...[...libraries, ...workers].flatMap((lock) => lock.topologies.map((kind) => limitsRow(lock, kind, properties))),
    "",
    "## Measured: those of other languages",
    "",
    ...measuredTable(workers, measured),
    "",
    "## The shortest counterexample of each",
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

function limitsRow(
  lock: Pick<LockEntry, "name" | "limits">,
  topology: TopologyKind,
  properties: readonly Property[],
): string {
  const cells = properties.map((property) => {
    const limits = lock.limits.filter((limit) => limit.property === property && limit.topology === topology);
    const kinds = [...new Set(limits.map(({ under }) => under))];
    return kinds
      .map((kind) => (limits.some((limit) => limit.under === kind && isItsOwn(limit)) ? `**${kind}**` : kind))
      .join(", ");
  });
  return `| ${lock.name} | ${topology} | ${cells.join(" | ")} |`;
}

/** Whether a sound lock with leases does not have this limit. */
function isItsOwn({ property, topology, under, cause }: Limit): boolean {
  return !leaseLimits(topology).some(
    (limit) => limit.property === property && limit.under === under && limit.cause === cause,
  );
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
