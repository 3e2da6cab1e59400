import { replayFromHere } from "../core/words/replay-from-here.ts";
import { shellWord } from "../core/words/shell-word.ts";
import { fencing } from "../campaign/conform/checks/fencing.ts";
import { lateGrant } from "../campaign/conform/checks/late-grant.ts";
import { queue } from "../campaign/conform/checks/queue.ts";
import { severalKeys } from "../campaign/conform/checks/several-keys.ts";
import { recordOutcome } from "./store/outcomes.ts";
import { linkTo, print } from "./terminal.ts";
import { printableJson } from "../core/printable.ts";
import { join } from "node:path";
import { residualRiskWords } from "../../reports/campaign/residual-risk-words.ts";
import { renderNotes } from "../../reports/campaign/campaign-notes.ts";
import { count } from "../../reports/wording.ts";
import { recurrenceWords } from "../../reports/run/recurrence-words.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import type { Summary, SummaryNote } from "../../reports/campaign/summary.ts";
import { isModulePath } from "../client/load-driver.ts";
import { EXIT } from "../core/verdict.ts";
import { type Harm, harmsBy, isDecided } from "../campaign/notes/tally.ts";
import { paragraph, printRun, textOptions } from "./output.ts";
import type { HuntResult } from "../campaign/hunt/hunt-lock.ts";
import type { HuntFindings, HuntParameters } from "../campaign/hunt/hunt-journal.ts";
import { readKeptRun } from "../campaign/kept-run.ts";
import type { FileFormat } from "../../reports/formats.ts";
import { badgeWords, writeReports } from "./report-files.ts";
import { capital } from "../core/words/capital.ts";
import { inFigures } from "../core/words/in-figures.ts";

/** Plans that were chosen in an order are no sample of others, so no bound follows from them. */
const NONE_DRAWN =
  "these plans were taken in order, not drawn at random, so they give no bound for other plans; a hunt with more --runs also draws some";

const HARMS: Readonly<Record<Harm, string>> = {
  crashed: "the lock crashed its own client",
  flooded: "the lock sent a server one message after another without a pause, for which the run was stopped",
};

/**
 * Prints the outcome of a hunt and writes its reports into the store.
 * @returns the exit code: 1 with a counterexample; without one 0 when enough was decided, no client crashed, no server was flooded
 * (`isDecided`), no shard was lost and the hunt did not end early by itself, else 2
 * @throws the error that ended the hunt, once all is printed, if it found no counterexample before
 */
export async function printHunt(
  result: HuntResult,
  { json, formats }: { readonly json: boolean; readonly formats: readonly FileFormat[] },
): Promise<number> {
  const { findings, store, name } = result;
  const { counterexample } = findings;
  const folder = counterexample === undefined ? undefined : join(store, counterexample.folder);
  const record = folder === undefined ? undefined : await readKeptRun(folder);
  const facts = factsOf(result);
  if (record !== undefined && folder !== undefined) printRun({ record, folder }, json, facts);
  else if (json) print(printableJson(facts));
  const report = reportOf(result, record);
  if (!json) {
    const notes = renderNotes(report.summary.notes, textOptions());
    const isAfterText = record !== undefined || notes !== "";
    const { says, command } = words(result);
    // A command stands on a line of its own, whole, to be copied.
    const advice = [
      command,
      checkOfReleases(result, record),
      checkOfLeases(result, record),
      checkOfUntested(result, record),
    ];
    const commands = advice.flatMap((line) => (line === undefined ? [] : [`${line}\n`]));
    print(`${notes}${isAfterText ? "\n" : ""}${paragraph(says)}\n${commands.join("")}`);
  }
  const written = writeReports(report, { store, name, formats, quiet: json });
  recordOutcome(store, name, report.summary);
  if (!json && formats.length > 0) {
    print(`\nReports\n${written.map((path) => `  ${linkTo(path)}`).join("\n")}\n`);
    print(badgeWords(report, written));
  }
  if (counterexample !== undefined) return EXIT.invalid;
  if (result.endedBy?.error !== undefined) throw result.endedBy.error;
  return isConclusive(result) ? EXIT.valid : EXIT.unknown;
}

function isConclusive({ findings, lostShards, endedBy }: HuntResult): boolean {
  return isDecided(findings) && lostShards === undefined && endedBy === undefined;
}

/** The outcome for programs: what was asked, what came out, and why runs are unknown. */
function factsOf(result: HuntResult) {
  const { findings, store, elapsedMs, endedBy } = result;
  const {
    parameters,
    runs,
    valid,
    unknown,
    unpromised,
    crashedOrFlooded,
    missing,
    held,
    residualRisk,
    counterexample,
  } = findings;
  const { lock, topology, faults, seed } = parameters;
  return {
    verdict: counterexample !== undefined ? "invalid" : isConclusive(result) ? "valid" : "unknown",
    lock,
    topology: topology.kind,
    faults,
    seed,
    runs,
    valid,
    unknown,
    unpromised,
    crashedOrFlooded,
    missing,
    ...(endedBy === undefined ? {} : { endedBy: endedBy.error?.message ?? endedBy.reason }),
    elapsedMs,
    held,
    notes: notesOf(findings, store),
    residualRisk,
    ...(counterexample === undefined ? {} : { counterexample: counterexampleOf(counterexample, store) }),
  };
}

function counterexampleOf(
  { position, path, shrinks, recurrence, folder }: NonNullable<HuntFindings["counterexample"]>,
  store: string,
) {
  return { position, path, shrinks, recurrence, folder: join(store, folder), replay: replayOf(store, folder) };
}

function replayOf(store: string, folder: string): string {
  return replayFromHere(join(store, folder, "plan.json"));
}

function notesOf({ notes }: HuntFindings, store: string): readonly SummaryNote[] {
  return notes.map(({ folder, ...note }) => ({
    ...note,
    ...(folder === undefined ? {} : { replay: replayOf(store, folder) }),
  }));
}

function reportOf(result: HuntResult, record: RunRecord | undefined) {
  const { findings, store, elapsedMs } = result;
  const { parameters, runs, valid, unpromised, held, counterexample } = findings;
  const { lock, topology, faults } = parameters;
  const title = `hunt for ${lock} on ${topology.kind}`;
  const found = counterexample !== undefined ? "broken" : isConclusive(result) ? "holds" : "unknown";
  const summary: Summary = {
    title,
    cells: [
      {
        lock,
        topology: topology.kind,
        fault: faults.join(" + ") || "none",
        expected: "holds",
        found,
        runs,
        valid,
        unpromised,
        command: searchCommand(parameters),
        ...(elapsedMs === undefined ? {} : { elapsedMs }),
        held,
        ...(record === undefined ? {} : { run: 0 }),
      },
    ],
    notes: notesOf(findings, store),
    residualRisk: findings.residualRisk,
    ...(counterexample === undefined ? { conclusion: `${capital(quietWords(result))}.` } : {}),
  };
  return { title, runs: record === undefined ? [] : [record], summary };
}

/** The command that hunts again, with the same plans. */
function searchCommand({ lock, topology, faults, runs, seed, backend, required }: HuntParameters): string {
  const { kind, persistence } = topology;
  const flags: readonly (readonly [flag: string, value: unknown])[] = [
    ["lock", lock],
    ["topology", kind],
    ["persistence", persistence === "none" ? undefined : persistence],
    ["faults", faults.join(",") || "none"],
    ["require", Array.isArray(required) ? required.join(",") : undefined],
    ["runs", runs],
    ["backend", backend === "simulated" ? undefined : backend],
    ["seed", seed],
  ];
  const given = flags.filter(([, value]) => value !== undefined);
  return ["npx lockstorm hunt", ...given.map(([flag, value]) => `--${flag} ${shellWord(String(value))}`)].join(" ");
}

/** What a quiet hunt says nothing about. */
function untestedWords(findings: HuntFindings): string {
  const untested = untestedIn(findings);
  return untested.length === 0 ? "" : `, but no run tested ${untested.join(", ")}`;
}

function untestedIn({ notes }: HuntFindings): readonly string[] {
  return notes.flatMap(({ kind, what }) => (kind === "untested" ? [what] : []));
}

function conformCommand({ lock, topology, backend }: HuntFindings["parameters"]): string {
  const words = `npx lockstorm conform ${shellWord(lock)} --topology ${topology.kind}`;
  return backend === "live" ? `${words} --backend live` : words;
}

/** What conform asks of a driver by itself, without a fault, where runs may never come to it. */
const ASKED_BY_CONFORM: ReadonlyMap<string, string> = new Map([
  ["all-or-nothing", severalKeys.name],
  ["fencing-tokens", fencing.name],
  ["first-come-first-served", queue.name],
]);

/**
 * How to see whether a lock keeps a promise that no run tested: after a release that says nothing of what it did, for example, no
 * run knows which keys are free.
 */
function checkOfUntested({ findings }: HuntResult, record: RunRecord | undefined): string | undefined {
  const { parameters } = findings;
  if (record !== undefined || !isModulePath(parameters.lock) || !isDecided(findings)) return undefined;
  const checks = untestedIn(findings).flatMap((property) => ASKED_BY_CONFORM.get(property) ?? []);
  if (checks.length === 0) return undefined;
  return `See what a driver's checks say of it (${checks.join(", ")}): ${conformCommand(parameters)}`;
}

/**
 * How to see whether a release that is said to have freed another client's lock did so: the history shows only what the driver
 * answered, and many libraries answer the release of a lease that is over as they answer any other.
 */
function checkOfReleases({ findings }: HuntResult, record: RunRecord | undefined): string | undefined {
  const { parameters } = findings;
  if (!isModulePath(parameters.lock) || record?.verdict.properties["owner-release"]?.verdict !== "invalid")
    return undefined;
  return `Check whether its releases answer truthfully: ${conformCommand(parameters)}`;
}

/** How to see who said that the lease of a grant was over: the library, which the history cannot tell from its driver. */
function checkOfLeases({ findings }: HuntResult, record: RunRecord | undefined): string | undefined {
  const { parameters } = findings;
  const violations = record?.verdict.properties["lease-exclusion"]?.violations ?? [];
  if (!isModulePath(parameters.lock) || !violations.some(({ cause }) => cause === "expired-grant")) return undefined;
  return `Check whether the library states that validity, or its driver (${lateGrant.name}): ${conformCommand(parameters)}`;
}

/** What a hunt without a counterexample says of the lock. */
function quietWords({ path, findings, lostShards, endedBy }: HuntResult): string {
  const { parameters, valid, residualRisk } = findings;
  if (isDecided(findings)) {
    const none = isModulePath(parameters.lock)
      ? "no required property was violated"
      : "no property that the lock claims was violated";
    const what = `${none}${untestedWords(findings)}`;
    if (lostShards !== undefined) return `${what}, but what the missing shards found is not known`;
    if (endedBy !== undefined) return `${what} until then`;
    if (path !== undefined) return `${what}: this says nothing of other plans than the one at --path ${path}`;
    return `${what}: ${residualRisk === undefined ? NONE_DRAWN : residualRiskWords(residualRisk)}`;
  }
  const harms = harmsBy(findings);
  if (harms.length > 0) return harmWords(findings, harms);
  return valid === 0 ? "no run decided anything" : "more runs are unknown than valid, so the hunt decided nothing";
}

/** In how many runs the lock did harm, and whether they leave anything else open. */
function harmWords({ unknown, crashedOrFlooded }: HuntFindings, harms: readonly Harm[]): string {
  const what = harms.map((harm) => HARMS[harm]).join(", or ");
  if (crashedOrFlooded === 0) return `in some runs ${what}`;
  const where =
    crashedOrFlooded === unknown
      ? unknown === 1
        ? "the unknown run"
        : "all of the unknown runs"
      : `${inFigures(crashedOrFlooded)} of the unknown runs`;
  return `in ${where} ${what}, and nothing else is open`;
}

function plansThatBroke(plans: number): string {
  return plans === 1 ? "a plan that broke it before" : "plans that broke it before";
}

/** In real time a plan breaks a lock in some of its runs only: that it broke nothing in one run does not show that the lock was mended. */
function fixedWords({ fixed, parameters: { backend, regressions } }: HuntFindings): string {
  const which = `${fixed} of ${regressions.length} plans that broke it before`;
  if (backend === "simulated") return `fixed: ${which} break nothing that is required now`;
  return `${which} broke nothing that is required in this run, which may be chance in real time`;
}

/** What came out of a hunt, and what to type next. */
function words(result: HuntResult): { readonly says: string; readonly command?: string } {
  const { findings, reason, lostShards, endedBy } = result;
  const { parameters, runs, valid, unknown, unpromised, missing, repeated, fixed, counterexample } = findings;
  const { lock, seed, regressions } = parameters;
  const next = lostShards === undefined ? "; the same command with --resume goes on" : "";
  const cut = missing > 0 ? ` (ended early: ${reason}${next})` : "";
  const nothing = unpromised === 0 ? "" : `, ${inFigures(unpromised)} without a guaranteed property`;
  // They come first, in addition to the runs that were asked for.
  const before = repeated === 0 || repeated === runs ? "" : ` (${inFigures(repeated)} of ${plansThatBroke(repeated)})`;
  const total = `${count(runs, "run")}${before}: ${inFigures(valid)} valid, ${inFigures(unknown)} unknown${nothing}${cut}`;
  const held = fixed === 0 ? "" : `; ${fixedWords(findings)}`;
  if (counterexample === undefined) {
    const check =
      !isDecided(findings) && harmsBy(findings).length === 0 && valid === 0 && runs > 0 && isModulePath(lock)
        ? { command: `Check the driver: ${conformCommand(parameters)}` }
        : {};
    return { says: `${total}${isDecided(findings) ? held : ""}; ${quietWords(result)}. Seed ${seed}.`, ...check };
  }
  const { position, path, shrinks, recurrence } = counterexample;
  const words = recurrenceWords(recurrence);
  const lasts = words === undefined ? "" : ` and ${words}`;
  const kind = position < regressions.length ? "known: a plan that broke the lock before breaks it again" : "new";
  const again = path === undefined ? "" : ` --path ${path}`;
  const early = endedBy === undefined ? "" : `, until ${endedBy.error?.message ?? endedBy.reason}`;
  return {
    says: `${total}${held}; the counterexample (${kind}) was shrunk in ${count(shrinks, "run")}${early}${lasts}.`,
    command: `To repeat: the same command with --seed ${seed}${again}`,
  };
}
