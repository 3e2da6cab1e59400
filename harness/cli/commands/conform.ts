import { locks } from "../../../lock-impl/registry.ts";
import { conformDriver, type ConformOptions, type ConformResult } from "../../campaign/conform/conform-driver.ts";
import { type ConformBackend, conformWorker } from "../../campaign/conform/conform-worker.ts";
import { newerCommands } from "../../campaign/conform/newer-commands.ts";
import { topologyForLock } from "../../campaign/topology-for-lock.ts";
import { UserError } from "../../core/errors.ts";
import { printable, printableJson } from "../../core/printable.ts";
import { requireSimulated, TOPOLOGIES } from "../../core/topology.ts";
import { EXIT } from "../../core/verdict.ts";
import { findWorker } from "../../external/find-worker.ts";
import type { Command } from "../command.ts";
import { campaignFlags } from "../flags/campaign-flags.ts";
import { AUTO_HELP, readSeed } from "../flags/seed-flag.ts";
import { beside, paragraph } from "../output.ts";
import { print } from "../terminal.ts";
import { TerminalProgress } from "../terminal-progress.ts";

/** The backends of a worker. */
const REAL_TIME: readonly ConformBackend[] = ["live", "containers"];

const MARK = { passed: "ok     ", mistake: "MISTAKE", remark: "remark ", skipped: "-      " } as const;

/** A driver that answers truly what its lock does wrong is a right driver. */
const MISTAKES = [
  "Correct the driver's mistakes first: until then, verdicts say little about the lock.",
  "If the mistake is the lock's own, the driver is right to show it: hunt with it.",
] as const;

/** `lockstorm conform`: whether a driver answers as lockstorm expects of drivers. */
export const conform: Command = {
  name: "conform",
  summary: "check what a driver answers before you hunt with it",
  operands: "<driver>",
  flags: {
    topology: campaignFlags.topology,
    backend: {
      value: "backend",
      help: "where a worker runs: containers (real servers) or live (simulated servers in real time, no engine)",
      default: "containers",
      choices: REAL_TIME,
    },
    seed: { value: "n", help: `seed of the runs; ${AUTO_HELP}`, default: "1" },
    json: { help: "print the findings as JSON" },
  },
  examples: [
    "lockstorm conform ./my-lock.ts",
    "lockstorm conform ./my-lock.ts --topology redlock",
    "lockstorm conform redlock5",
    "lockstorm conform ./my-lock.worker.json",
    "lockstorm conform ./my-lock.worker.json --backend live",
  ],
  exits: {
    valid: "the driver made no mistake; remarks are no mistakes",
    invalid: "the driver made a mistake",
  },
  run: async ({ operands, flags, signal }) => {
    const [lock] = operands;
    if (lock === undefined || operands.length > 1) {
      const names = locks.map(({ name }) => name).slice(0, 2);
      throw new UserError(
        "conform takes one driver",
        `give its path, ./my-lock.ts, or a lock's name, ${names.join(" or ")}`,
      );
    }
    const topology = topologyForLock(lock, { topology: flags.choice("topology", TOPOLOGIES) });
    const options = { lock, topology, seed: readSeed(flags) ?? 1, signal };
    const result =
      findWorker(lock) === undefined
        ? await simulated(options)
        : await inRealTime(options, flags.choice("backend", REAL_TIME));
    if (flags.on("json")) print(printableJson(result));
    else print(inWords(result));
    return result.checks.some(({ outcome }) => outcome === "mistake") ? EXIT.invalid : EXIT.valid;
  },
};

async function simulated(options: ConformOptions): Promise<ConformResult> {
  requireSimulated(options.topology.kind);
  using progress = new TerminalProgress();
  return await conformDriver(options, { progress });
}

/** A lock in another language runs in real time only. */
async function inRealTime(options: ConformOptions, backend: ConformBackend | undefined): Promise<ConformResult> {
  using progress = new TerminalProgress();
  return await conformWorker(options, { progress, backend });
}

function inWords({ lock, topology, checks }: ConformResult): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const told = new Map<string, string>();
  const lines = checks.flatMap(({ name, asks, outcome, details }) => [
    beside(`${MARK[outcome]}  ${name.padEnd(width)}  `, asks),
    ...oncePerChecklist(details, name, told).map((detail) =>
      beside(`${" ".repeat(MARK.passed.length + width + 4)}-> `, printable(detail)),
    ),
  ]);
  const mistakes = checks.filter(({ outcome }) => outcome === "mistake").length;
  const end =
    mistakes === 0
      ? ["The driver does what the checklist asks. Now hunt with it."]
      : [`${mistakes} of ${checks.length} checks found a mistake. ${MISTAKES[0]}`, MISTAKES[1]];
  const words = [...newerCommands(checks), ...end].map((each) => paragraph(printable(each)));
  return `${printable(lock)} on the topology ${topology}\n\n${lines.join("")}\n${words.join("\n")}\n`;
}

/**
 * What a check found; what an earlier one found as well is named after that one.
 * @param told the check that found a thing first, by that thing; those of this check are added
 */
function oncePerChecklist(details: readonly string[], check: string, told: Map<string, string>): readonly string[] {
  const inShort = details.map((detail) => {
    const before = told.get(detail);
    if (before === undefined) told.set(detail, check);
    return before === undefined ? detail : `the same as in ${before}`;
  });
  return [...new Set(inShort)];
}
