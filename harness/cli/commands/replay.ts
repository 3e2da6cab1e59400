import { locks } from "../../../lock-impl/registry.ts";
import { libraryWorkers } from "../../../lock-impl/workers/workers.ts";
import { type ReplayComparison, replay as replayPlan } from "../../campaign/replay.ts";
import { UserError } from "../../core/errors.ts";
import type { Command } from "../command.ts";
import { exitCode, printRun } from "../output.ts";
import { backendFlag, readBackend, readRunFlags, runFlags } from "../flags/run-flags.ts";
import { tell } from "../terminal.ts";
import { TerminalProgress } from "../terminal-progress.ts";

/**
 * `lockstorm replay`: runs a saved plan again, on the backend it ran on or on another, judged by the properties that
 * decided then. A plan without its run is judged by all properties for a registered lock, and by what a lock can
 * promise for a user's own.
 */
export const replay: Command = {
  name: "replay",
  summary: "run a saved plan again, on any backend",
  operands: "<plan.json>",
  flags: {
    lock: {
      value: "lock",
      help: "a different lock: a name, or the path of a driver",
      choices: [...locks, ...libraryWorkers].map(({ name }) => name),
    },
    backend: { ...backendFlag, help: `${backendFlag.help} (default: the backend of the original run)` },
    ...runFlags,
  },
  examples: [
    "lockstorm replay .lockstorm/runs/2026-01-31T12-00-00-1/plan.json",
    "lockstorm replay .lockstorm/runs/2026-01-31T12-00-00-1/plan.json --backend containers",
  ],
  exits: {
    valid: "the run is valid",
    invalid: "the run is invalid",
    unknown: "the run is unknown: it proves neither",
  },
  run: async ({ operands, flags, signal }) => {
    const [path] = operands;
    if (path === undefined || operands.length > 1) {
      throw new UserError("replay takes one plan", "give the plan.json of a run");
    }
    const { required, json, environment } = readRunFlags(flags);
    const options = { lock: flags.text("lock"), backend: readBackend(flags), required };
    using progress = new TerminalProgress();
    const run = await replayPlan(path, options, { ...environment, signal, progress });
    progress[Symbol.dispose]();
    printRun(run, json);
    if (run.comparison !== undefined) tell(`${inWords(run.comparison)}\n`);
    return exitCode(run.record.verdict);
  },
};

const SERVERS = { containers: "real servers", live: "simulated servers in real time" } as const;

function inWords(comparison: ReplayComparison): string {
  switch (comparison.kind) {
    case "same":
      return `identical to the original run, event for event (trace ${comparison.traceHash.slice(0, 12)})`;
    case "other":
      return "not identical to the original run: the lock or lockstorm has changed since";
    case "confirmed":
      return `confirmed on ${SERVERS[comparison.on]}: ${comparison.causes.join(", ")}`;
    case "simulation-only":
      return `simulation only: ${SERVERS[comparison.on]} did not show ${comparison.causes.join(", ")} this time`;
  }
}
