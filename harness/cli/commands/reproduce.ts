import { catalogue } from "../../../workloads/catalogue.ts";
import { differences } from "../../../workloads/scenario-outcome.ts";
import { planOf, requiredOf, type Scenario, type Variant } from "../../../workloads/scenario.ts";
import { UserError } from "../../core/errors.ts";
import { EXIT } from "../../core/verdict.ts";
import { type Backend, BACKENDS, type ExecutedRun, executorOf, keepRun } from "../backend.ts";
import { listing, listingAsData } from "../catalogue/listing.ts";
import { cataloguePage } from "../catalogue/page.ts";
import { runCatalogue, titleOf } from "../catalogue/run-catalogue.ts";
import { isAsExpected, summaryAsData, summaryTable } from "../catalogue/summary.ts";
import { readRunFlags, runFlags } from "../common-flags.ts";
import { type Command, type CommandInput, type Flags, refuseOperands } from "../command.ts";
import { exitCode, printRun } from "../output.ts";
import { Progress } from "../progress.ts";

const CHOICES = [...BACKENDS, "both"] as const;

/** `lockstorm reproduce`: the scenarios of the catalogue, one or all, on real servers or in simulation. */
export const reproduce: Command = {
  name: "reproduce",
  summary: "run a scenario of the catalogue and see it happen",
  operands: "<slug>",
  flags: {
    list: { help: "list the scenarios with what is expected of each" },
    markdown: { help: "with --list: the catalogue as a page of documentation" },
    all: { help: "run all scenarios with their controls, and compare what is found with what is expected" },
    control: { help: "the same schedule against what is immune to it" },
    "no-faults": { help: "the same schedule without its faults" },
    lock: { value: "lock", help: "another lock than the scenario's own: a name, or the path of a driver" },
    seed: { value: "number", help: "seed of the run", default: "1" },
    backend: {
      value: "backend",
      help: "simulated (a deterministic simulation: fast, exact), containers (real servers), or both",
      default: "containers",
    },
    ...runFlags,
  },
  examples: [
    "lockstorm reproduce async-failover",
    "lockstorm reproduce async-failover --no-faults",
    "lockstorm reproduce pause-past-lease --lock fenced --require fencing-tokens,stale-writes",
    "lockstorm reproduce --all --backend simulated",
  ],
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
  if (flags.on("markdown")) process.stdout.write(cataloguePage());
  else process.stdout.write(flags.on("json") ? `${JSON.stringify(listingAsData(), undefined, 2)}\n` : listing());
}

function backendsOf(flags: Flags): readonly Backend[] {
  const chosen = flags.choice("backend", CHOICES) ?? "containers";
  return chosen === "both" ? BACKENDS : [chosen];
}

/** All scenarios: exit code 0 when each came out as the catalogue says, 1 when one did not. */
async function runAll({ operands, flags, signal }: CommandInput): Promise<number> {
  refuseOperands("reproduce --all", operands, "see lockstorm reproduce --help");
  for (const name of ["lock", "require"]) {
    if (flags.text(name) === undefined) continue;
    throw new UserError(`--${name} does not go with --all`, "each scenario has its own: leave it out, or name a slug");
  }
  const backends = backendsOf(flags);
  const { json, required: _, ...options } = readRunFlags(flags);
  using progress = new Progress();
  const outcomes = await runCatalogue({
    ...options,
    backends,
    seed: flags.integer("seed", 0) ?? 1,
    signal,
    progress,
  });
  progress[Symbol.dispose]();
  if (json) process.stdout.write(`${JSON.stringify(summaryAsData(outcomes), undefined, 2)}\n`);
  else process.stdout.write(backends.map((backend) => summaryTable(backend, outcomes)).join("\n"));
  return isAsExpected(outcomes) ? EXIT.valid : EXIT.invalid;
}

/** One scenario, on one backend or on each: the exit code is that of the worst verdict. */
async function runOne({ operands, flags, signal }: CommandInput): Promise<number> {
  const scenario = findScenario(operands);
  const variant = variantOf(scenario, flags);
  const { required, json, ...options } = readRunFlags(flags);
  const lock = flags.text("lock");
  const plan = planOf(scenario, {
    seed: flags.integer("seed", 0) ?? 1,
    ...(lock === undefined ? {} : { lock }),
    variant,
  });
  const codes: number[] = [];
  for (const backend of backendsOf(flags)) {
    using progress = new Progress();
    const execute = await executorOf(backend);
    const run = await execute(plan, {
      ...options,
      title: titleOf(scenario, variant),
      required: required ?? requiredOf(scenario, variant),
      signal,
      progress,
    });
    progress[Symbol.dispose]();
    printRun(keepRun(aboutScenario(run, scenario)), json);
    const isAsTheCatalogueHasIt = lock === undefined && required === undefined;
    if (!json) process.stdout.write(`\n${isAsTheCatalogueHasIt ? comparison(scenario, variant, run.record) : ""}`);
    codes.push(exitCode(run.record.verdict));
  }
  if (!json)
    process.stdout.write(`${scenario.title}\n${scenario.says}\n${scenario.source.name}\n${scenario.source.link}\n`);
  return Math.max(...codes);
}

/** The run, whose report tells what it is to show and who says so. */
function aboutScenario(run: ExecutedRun, { summary, says, source }: Scenario): ExecutedRun {
  const about = { summary, says, source };
  return {
    ...run,
    keep: () => {
      const { record, folder } = run.keep();
      return { folder, record: { ...record, about } };
    },
  };
}

function comparison(scenario: Scenario, variant: Variant, run: Parameters<typeof differences>[2]): string {
  const differing = differences(scenario, variant, run);
  if (differing.length === 0) return "As the catalogue expects.\n\n";
  return `Not as the catalogue expects: ${differing.join("; ")}.\n\n`;
}

function variantOf({ slug, control }: Scenario, flags: Flags): Variant {
  if (!flags.on("control")) return flags.on("no-faults") ? "no-faults" : "schedule";
  if (flags.on("no-faults")) throw new UserError("--control and --no-faults exclude each other", "give one of them");
  if ("none" in control) throw new UserError(`${slug} has no control: ${control.none}`, "run it without --control");
  return "control";
}

function findScenario(operands: readonly string[]): Scenario {
  const [slug, ...further] = operands;
  const mend = "see lockstorm reproduce --list";
  if (slug === undefined || further.length > 0) throw new UserError("reproduce takes one slug", mend);
  const scenario = catalogue.find((candidate) => candidate.slug === slug);
  if (scenario === undefined) throw new UserError(`there is no scenario "${slug}"`, mend);
  return scenario;
}
