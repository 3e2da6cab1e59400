import { faults } from "../../faults/registry.ts";
import { claimedProperties, DISK_LOSS } from "../../lock-impl/claims.ts";
import { ladder } from "../../lock-impl/ladder.ts";
import type { LockEntry } from "../../lock-impl/lock-entry.ts";
import { locks } from "../../lock-impl/registry.ts";
import type { RunRecord } from "../../reports/run-record.ts";
import type { Summary, SummaryCell } from "../../reports/summary.ts";
import { isSurprise } from "../../reports/summary.ts";
import { renderSummaryTable } from "../../reports/summary-table.ts";
import { renderText } from "../../reports/text.ts";
import { contentionPlans } from "../../workloads/contention.ts";
import type { Fault } from "../core/fault.ts";
import { topologySchema, type TopologyKind, type TopologySpec } from "../core/topology.ts";
import { EXIT, PROPERTIES, type Property } from "../core/verdict.ts";
import { type CampaignResult, type Counterexample, type Judged, runCampaign } from "../run/campaign.ts";
import { keepRun } from "./backend.ts";
import type { Flags } from "./command.ts";
import { textOptions } from "./output.ts";
import { Progress } from "./progress.ts";
import type { SimulatedRun } from "./run-simulated.ts";

/** Runs of a cell that should hold, and of one that is known to break: that one ends with the first that does. */
const HOLDING_RUNS = 10;
const BREAKING_RUNS = 100;
/** Some hold longer than their lease: what a lock does then is part of the picture, and no lock promises that away. */
const MAX_HOLD_SHARE = 1.3;
const SHRINK_RUNS = 150;
const DEFAULT_SEED = 1;

/** A lock on a topology under one kind of fault: one cell of the table. */
interface Cell {
  readonly lock: LockEntry;
  readonly topology: TopologySpec;
  readonly fault: Fault | undefined;
}

type LadderRun = SimulatedRun & Judged;
type Failing = Counterexample<LadderRun>;

interface Found {
  readonly cell: Cell;
  readonly summary: SummaryCell;
  readonly failing?: Failing;
}

/**
 * Searches every cell of locks by faults in simulation, prints the shortest counterexample of each lock that broke and
 * the table of what was claimed against what was found.
 * @returns the exit code: 0 when no claim was refuted, 1 when a lock broke that claimed to hold. A known limit that did
 * not show is marked in the table: it says something of the search, not of the lock
 */
export async function huntLadder(options: {
  readonly flags: Flags;
  readonly store: string;
  readonly json: boolean;
  readonly signal: AbortSignal;
}): Promise<number> {
  const { flags, store, json, signal } = options;
  const { keepSimulated } = await import("./run-simulated.ts");
  const entries = flags.on("all") ? locks : ladder;
  const seed = flags.integer("seed", 0) ?? DEFAULT_SEED;
  const runs = flags.integer("runs", 1);
  const cells = entries.flatMap(cellsOf);
  const search = await searcher({ seed, runs, signal });
  const found: Found[] = [];
  using progress = new Progress();
  for (const [index, cell] of cells.entries()) {
    if (signal.aborted) break;
    progress.step(`${index + 1} of ${cells.length}: ${titleOf(cell)}`);
    const result = await search(cell, 0);
    const failing = result.counterexample;
    const outcome = failing === undefined ? (result.valid > 0 ? "holds" : "unknown") : "broken";
    const expected = expectation(cell, promised(cell));
    const place = { lock: rowName(cell), fault: cell.fault?.kind ?? "none" };
    const summary = {
      ...place,
      ...(expected === undefined ? {} : { expected }),
      found: outcome,
      runs: result.runs,
    } as const;
    found.push({ cell, summary, ...(failing === undefined ? {} : { failing }) });
  }
  const counterexamples: RunRecord[] = [];
  for (const { cell, failing } of smallestOfEach(found)) {
    if (signal.aborted) break;
    progress.step(`shrinking: ${titleOf(cell)}`);
    const { counterexample } = await search(cell, SHRINK_RUNS, failing.path);
    const run = counterexample?.run ?? failing.run;
    counterexamples.push(keepRun({ ...run, keep: () => keepSimulated(run, store) }).record);
  }
  progress[Symbol.dispose]();
  return print(found, counterexamples, json);
}

type Search = (cell: Cell, shrinkRuns: number, path?: string) => Promise<CampaignResult<LadderRun>>;

/** The campaign of one cell: the same plans whenever it is asked, so that a path leads back to what it found. */
async function searcher({
  seed,
  runs,
  signal,
}: {
  readonly seed: number;
  /** Of each cell; undefined leaves it to what is expected of the cell. */
  readonly runs: number | undefined;
  readonly signal: AbortSignal;
}): Promise<Search> {
  const { runSimulated } = await import("./run-simulated.ts");
  return (cell, shrinkRuns, path) => {
    const { lock, topology, fault } = cell;
    const required = promised(cell);
    const usual = expectation(cell, required) === "broken" ? BREAKING_RUNS : HOLDING_RUNS;
    return runCampaign<LadderRun>({
      seed,
      runs: runs ?? usual,
      signal,
      plans: contentionPlans({
        lock: lock.name,
        topology,
        faults: fault === undefined ? [] : [fault],
        maxHoldShare: MAX_HOLD_SHARE,
      }),
      shrinkRuns,
      ...(path === undefined ? {} : { path }),
      execute: async (plan) => {
        const run = await runSimulated(plan, { title: titleOf(cell), required });
        return { ...run, verdict: run.record.verdict };
      },
    });
  };
}

function print(found: readonly Found[], counterexamples: readonly RunRecord[], json: boolean): number {
  const summary: Summary = {
    title: "Locks by faults: what each claims against what the simulation found",
    cells: found.map((each) => each.summary),
  };
  if (json) console.log(JSON.stringify(summary, undefined, 2));
  else {
    for (const record of counterexamples) process.stdout.write(`${renderText(record, textOptions())}\n`);
    process.stdout.write(renderSummaryTable(summary, textOptions()));
  }
  const broken = summary.cells.some((cell) => isSurprise(cell) && cell.found === "broken");
  return broken ? EXIT.invalid : EXIT.valid;
}

/** For each row that broke, the cell whose failing run has the fewest events: the one worth shrinking. */
function smallestOfEach(found: readonly Found[]): readonly (Found & { readonly failing: Failing })[] {
  const smallest = new Map<string, Found & { readonly failing: Failing }>();
  for (const each of found) {
    const { failing, summary } = each;
    if (failing === undefined) continue;
    const known = smallest.get(summary.lock);
    if (known === undefined || sizeOf(failing) < sizeOf(known.failing))
      smallest.set(summary.lock, { ...each, failing });
  }
  return [...smallest.values()];
}

function sizeOf({ run }: Failing): number {
  return run.record.history.events.length;
}

function cellsOf(lock: LockEntry): readonly Cell[] {
  return lock.topologies.flatMap((kind: TopologyKind) => {
    const topology = topologySchema.parse({ kind });
    const possible = faults.filter((fault) => fault.arbitrary(topology, 2) !== undefined);
    return [undefined, ...possible].map((fault): Cell => ({ lock, topology, fault }));
  });
}

function titleOf(cell: Cell): string {
  return `${rowName(cell)} under ${cell.fault?.kind ?? "no fault"}`;
}

function rowName({ lock, topology }: Cell): string {
  return lock.topologies.length > 1 ? `${lock.name} (${topology.kind})` : lock.name;
}

/** What the lock promises as long as nothing goes wrong. */
function promised({ lock, topology }: Cell): readonly Property[] {
  const claimed = claimedProperties(lock.claims, {
    topology: topology.kind,
    persistence: topology.persistence,
    faults: [],
  });
  return PROPERTIES.filter((property) => claimed.includes(property));
}

/** What the lock's claims and known limits lead one to expect of these properties; undefined where they say nothing. */
function expectation({ lock, topology, fault }: Cell, properties: readonly Property[]): "holds" | "broken" | undefined {
  const kinds = fault === undefined ? [] : fault.kind === "restart-node" ? [fault.kind, DISK_LOSS] : [fault.kind];
  const limited = lock.limits.some(
    (limit) =>
      limit.topology === topology.kind &&
      (limit.under === "none" || kinds.includes(limit.under)) &&
      properties.some((property) => property === limit.property),
  );
  if (limited) return "broken";
  const { kind, persistence } = topology;
  const claimed = claimedProperties(lock.claims, { topology: kind, persistence, faults: kinds });
  return properties.every((property) => claimed.includes(property)) ? "holds" : undefined;
}
