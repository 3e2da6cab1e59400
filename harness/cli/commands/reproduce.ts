import { catalogue } from "../../../workloads/catalogue.ts";
import { planOf, type Scenario } from "../../../workloads/scenario.ts";
import { UserError } from "../../core/errors.ts";
import { EXIT, PROPERTIES } from "../../core/verdict.ts";
import { backendFlag, BACKENDS, executorOf, keepRun } from "../backend.ts";
import { readRunFlags, runFlags } from "../common-flags.ts";
import { type Command, refuseOperands } from "../command.ts";
import { exitCode, printRun } from "../output.ts";
import { Progress } from "../progress.ts";

/** `lockstorm reproduce`: one scenario of the catalogue, on real servers. */
export const reproduce: Command = {
  name: "reproduce",
  summary: "run a scenario of the catalogue and see it happen",
  operands: "<slug>",
  flags: {
    list: { help: "list the scenarios with what is expected of each" },
    lock: { value: "lock", help: "another lock than the scenario's own: a name, or the path of a driver" },
    "no-faults": { help: "the same schedule without its faults: the control" },
    seed: { value: "number", help: "seed of the run", default: "1" },
    backend: { ...backendFlag, default: "containers" },
    ...runFlags,
  },
  examples: [
    "lockstorm reproduce async-failover",
    "lockstorm reproduce async-failover --no-faults",
    "lockstorm reproduce pause-past-lease --lock fenced --require fencing-tokens,stale-writes",
  ],
  run: async ({ operands, flags, signal }) => {
    if (flags.on("list")) {
      refuseOperands("reproduce --list", operands, "see lockstorm reproduce --help");
      process.stdout.write(listing());
      return EXIT.valid;
    }
    const scenario = findScenario(operands);
    const { required, json, ...options } = readRunFlags(flags);
    const lock = flags.text("lock");
    const plan = planOf(scenario, {
      seed: flags.integer("seed", 0) ?? 1,
      ...(lock === undefined ? {} : { lock }),
      faults: !flags.on("no-faults"),
    });
    using progress = new Progress();
    const execute = await executorOf(flags.choice("backend", BACKENDS) ?? "containers");
    const run = await execute(plan, {
      ...options,
      title: flags.on("no-faults") ? `${scenario.slug} without faults` : scenario.slug,
      required: required ?? PROPERTIES.filter((property) => scenario.expected[property] !== undefined),
      signal,
      progress,
    });
    progress[Symbol.dispose]();
    printRun(keepRun(run), json);
    if (!json) process.stdout.write(`\n${scenario.title}\n${scenario.source.name}\n${scenario.source.link}\n`);
    return exitCode(run.record.verdict);
  },
};

function findScenario(operands: readonly string[]): Scenario {
  const [slug, ...further] = operands;
  const mend = "see lockstorm reproduce --list";
  if (slug === undefined || further.length > 0) throw new UserError("reproduce takes one slug", mend);
  const scenario = catalogue.find((candidate) => candidate.slug === slug);
  if (scenario === undefined) throw new UserError(`there is no scenario "${slug}"`, mend);
  return scenario;
}

function listing(): string {
  const width = Math.max(...catalogue.map(({ slug }) => slug.length));
  const lines = catalogue.map(({ slug, title, plan, expected, cause }) => {
    const outcome = Object.entries(expected).map(([property, verdict]) => `${property} ${verdict}`);
    const indent = " ".repeat(width + 2);
    return [
      `${slug.padEnd(width)}  ${title}`,
      `${indent}lock ${plan.lock}, topology ${plan.topology.kind}; expected: ${outcome.join(", ")}${cause === undefined ? "" : ` (${cause})`}`,
    ].join("\n");
  });
  return `${lines.join("\n")}\n`;
}
