import { locks } from "../../../lock-impl/registry.ts";
import { libraryWorkers } from "../../../lock-impl/workers/workers.ts";
import { catalogue } from "../../../workloads/catalogue.ts";
import type { Scenario, Variant } from "../../../workloads/scenario.ts";
import { type Backend, BACKENDS, TABLE_BACKENDS, type TableBackend } from "../../core/topologies/backend.ts";
import { reproduce as reproduceScenario } from "../../campaign/catalogue/reproduce.ts";
import { runCatalogue } from "../../campaign/catalogue/run-catalogue.ts";
import { hintFor } from "../../core/words/did-you-mean.ts";
import { UserError } from "../../core/errors.ts";
import { printableJson } from "../../core/printable.ts";
import { EXIT } from "../../core/verdict.ts";
import { listing, listingAsData } from "../catalogue/listing.ts";
import { cataloguePage } from "../catalogue/page.ts";
import { isAsExpected, summaryAsData, summaryTable } from "../catalogue/summary.ts";
import { type Command, type CommandInput, type Flags, refuseOperands } from "../command.ts";
import { exitCode, printRun } from "../output.ts";
import { readRunFlags, runFlags } from "../flags/run-flags.ts";
import { MOST_THREADS } from "../flags/most-threads.ts";
import { print } from "../terminal.ts";
import { TerminalProgress } from "../terminal-progress.ts";

const CHOICES = [...BACKENDS, "both"] as const;

/** `lockstorm reproduce`: runs one or all scenarios of the catalogue, in simulation or on real servers. */
export const reproduce: Command = {
  name: "reproduce",
  summary: "run a scenario of the catalogue",
  operands: "<slug>",
  operandChoices: catalogue.map(({ slug }) => slug),
  flags: {
    list: { help: "list the scenarios with their expected outcomes" },
    markdown: { help: "with --list: print the catalogue as a Markdown page" },
    all: { help: "run all scenarios with their controls, and compare the outcomes with the expected ones" },
    control: { help: "run the same schedule with a lock that must survive it" },
    "no-faults": { help: "run the same schedule without its faults" },
    lock: {
      value: "lock",
      help: "a different lock: a name, or the path of a driver",
      choices: [...locks, ...libraryWorkers].map(({ name }) => name),
    },
    seed: { value: "number", help: "seed of the run", default: "1" },
    backend: {
      value: "backend",
      help: "simulated (deterministic simulation: fast, repeatable), live (client processes on simulated servers, in real time), containers (real servers), or both: simulated and containers",
      default: "simulated",
      choices: CHOICES,
    },
    threads: {
      value: "number",
      help: "how many plans run at a time on containers, each on servers of its own (default: by cores and memory)",
    },
    ...runFlags,
  },
  examples: [
    "lockstorm reproduce async-failover",
    "lockstorm reproduce async-failover --no-faults",
    "lockstorm reproduce pause-past-lease --lock fenced --require fencing-tokens,stale-writes",
    "lockstorm reproduce async-failover --backend containers",
    "lockstorm reproduce --all",
  ],
  exits: {
    valid: "the run is valid; with --all: all is as the catalogue expects",
    invalid:
      "the run is invalid, as most schedules of the catalogue are meant to be; with --all: something is not as the catalogue expects",
    unknown: "the run is unknown: it proves neither",
  },
  run: (input) => {
    const { operands, flags } = input;
    if (flags.on("markdown") && !flags.on("list")) {
      throw new UserError("--markdown belongs to --list", "give both, or neither");
    }
    if (flags.on("list")) {
      refuseOperands("reproduce --list", operands, "see lockstorm reproduce --help");
      list(flags);
      return Promise.resolve(EXIT.valid);
    }
    return flags.on("all") ? runAll(input) : runOne(input);
  },
};

function list(flags: Flags): void {
  if (flags.on("markdown")) print(cataloguePage());
  else print(flags.on("json") ? printableJson(listingAsData()) : listing());
}

function backendsOf(flags: Flags): readonly Backend[] {
  const chosen = flags.choice("backend", CHOICES) ?? "simulated";
  return chosen === "both" ? TABLE_BACKENDS : [chosen];
}

/** All scenarios: exit code 0 when each came out as the catalogue says, 1 when one did not. */
async function runAll({ operands, flags, signal }: CommandInput): Promise<number> {
  refuseOperands("reproduce --all", operands, "see lockstorm reproduce --help");
  for (const name of ["lock", "require"]) {
    if (flags.text(name) === undefined) continue;
    throw new UserError(
      `--${name} cannot be combined with --all`,
      "each scenario has its own: leave out the flag, or name one scenario",
    );
  }
  const backends = backendsOf(flags).filter((backend): backend is TableBackend => backend !== "live");
  if (backends.length === 0) throw new UserError("--all does not run live", "name one scenario, or another --backend");
  const { json, environment } = readRunFlags(flags);
  using progress = new TerminalProgress();
  const outcomes = await runCatalogue(
    { backends, seed: flags.integer("seed", 0), threads: flags.integer("threads", 1, MOST_THREADS) },
    { ...environment, signal, progress },
  );
  progress[Symbol.dispose]();
  if (json) print(printableJson(summaryAsData(outcomes)));
  else print(backends.map((backend) => summaryTable(backend, outcomes)).join("\n"));
  return isAsExpected(outcomes) ? EXIT.valid : EXIT.invalid;
}

/** One scenario, on one backend or on each: the exit code is that of the worst verdict. */
async function runOne({ operands, flags, signal }: CommandInput): Promise<number> {
  const scenario = findScenario(operands);
  const variant = variantOf(scenario, flags);
  const { required, json, environment } = readRunFlags(flags);
  const options = { variant, lock: flags.text("lock"), seed: flags.integer("seed", 0), required };
  const codes: number[] = [];
  for (const backend of backendsOf(flags)) {
    using progress = new TerminalProgress();
    const run = await reproduceScenario(scenario, { ...options, backend }, { ...environment, signal, progress });
    progress[Symbol.dispose]();
    printRun(run, json);
    if (!json) print(`\n${comparison(run.differences)}`);
    codes.push(exitCode(run.record.verdict));
  }
  if (!json) print(`${scenario.title}\n${scenario.says}\n${scenario.source.name}\n${scenario.source.link}\n`);
  return Math.max(...codes);
}

/** Compares the run with the catalogue; empty where the catalogue says nothing. */
function comparison(differences: readonly string[] | undefined): string {
  if (differences === undefined) return "";
  if (differences.length === 0) return "As the catalogue expects.\n\n";
  return `Not as the catalogue expects: ${differences.join("; ")}.\n\n`;
}

function variantOf({ slug, control }: Scenario, flags: Flags): Variant {
  if (!flags.on("control")) return flags.on("no-faults") ? "no-faults" : "schedule";
  if (flags.on("no-faults")) throw new UserError("--control and --no-faults exclude each other", "give one of them");
  if ("none" in control) throw new UserError(`${slug} has no control: ${control.none}`, "run it without --control");
  return "control";
}

function findScenario(operands: readonly string[]): Scenario {
  const [slug, ...further] = operands;
  const hint = "see lockstorm reproduce --list";
  if (slug === undefined || further.length > 0) throw new UserError("reproduce takes one slug", hint);
  const scenario = catalogue.find((candidate) => candidate.slug === slug);
  if (scenario === undefined) {
    const slugs = catalogue.map((candidate) => candidate.slug);
    throw new UserError(`there is no scenario "${slug}"`, hintFor(slug, slugs, { elsewhere: hint }));
  }
  return scenario;
}
