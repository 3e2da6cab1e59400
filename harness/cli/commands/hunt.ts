import { locks } from "../../../lock-impl/registry.ts";
import { libraryWorkers } from "../../../lock-impl/workers/workers.ts";
import { huntLock } from "../../campaign/hunt/hunt-lock.ts";
import { huntLadder, LADDER } from "../../campaign/ladder/hunt-ladder.ts";
import { shardSuffix } from "../../campaign/shard.ts";
import { campaignFlags } from "../flags/campaign-flags.ts";
import { type Command, type CommandInput, refuseOperands } from "../command.ts";
import { campaignExitCode, exitZeroFlag } from "../flags/exit-zero-flag.ts";
import { readHuntOptions, readLadderOptions } from "../flags/hunt-flags.ts";
import { printHunt } from "../print-hunt.ts";
import { printLadder, readFormer } from "../print-ladder.ts";
import { readFormats, reportFlag } from "../report-files.ts";
import { backendFlag, readRunFlags, runFlags } from "../flags/run-flags.ts";
import { AUTO_HELP } from "../flags/seed-flag.ts";
import { SHARD_HELP } from "../flags/shard-flag.ts";
import { TerminalProgress } from "../terminal-progress.ts";

/** `lockstorm hunt`: runs generated plans until one breaks what the lock claims, then shrinks that plan. */
export const hunt: Command = {
  name: "hunt",
  summary: "search for a schedule that breaks a lock, and shrink it",
  operands: "",
  flags: {
    lock: {
      value: "lock",
      help: "the lock: a name, or the path of a driver (default: single); with --ladder or --all: only these locks, names separated by commas",
      choices: [...locks, ...libraryWorkers].map(({ name }) => name),
    },
    ladder: {
      help: "test the locks of the ladder under every fault and print a table, all judged by the same properties; with --backend containers, confirm the simulation's findings on real servers",
    },
    all: { help: "the same table for every lock, including flawed locks and libraries" },
    ...campaignFlags,
    backend: { ...backendFlag, default: "simulated" },
    runs: { value: "number", help: "number of plans to run (default: 1000, on containers 20)" },
    complete: {
      help: "for a table: run every schedule with one deviation of the small workloads, in each cell until one breaks the lock; takes minutes to hours per lock",
    },
    budget: {
      value: "time",
      help: "start no new run or cell of a table after this time: 90s, 5m; a bare number is in seconds",
    },
    "shrink-runs": { value: "number", help: "maximum number of runs for shrinking (default: 500, on containers 20)" },
    seed: {
      value: "number",
      help: `seed of the campaign; ${AUTO_HELP}, so that all shards of a commit agree (default: random, printed; for a table 1)`,
    },
    path: { value: "path", help: "run only the counterexample that a campaign with this seed printed" },
    confirm: {
      help: "run the counterexample 3 times on real servers, and say how often it failed again, or why none ran it",
    },
    shard: { value: "i/n", help: SHARD_HELP },
    ...exitZeroFlag,
    resume: { help: "continue the same hunt in this store if it was interrupted" },
    threads: {
      value: "number",
      help: "how many threads simulate, or how many plans run at a time on containers (default: by cores and memory)",
    },
    former: { value: "folder", help: "results to compare a table with (default: the former results in the store)" },
    ...reportFlag,
    ...runFlags,
  },
  examples: [
    "lockstorm hunt --lock ./my-lock.ts --topology sentinel",
    "lockstorm hunt --lock redlock --faults clock-jump,partition --budget 5m",
    "lockstorm hunt --lock single --faults pause-client --require mutual-exclusion",
    "lockstorm hunt --all",
    "lockstorm hunt --ladder --lock single,redlock --runs 1000",
    "lockstorm hunt --ladder --lock fenced,redlock --backend containers",
    "lockstorm hunt --all --seed auto --shard 2/4 --store results",
    "lockstorm hunt --ladder --lock single,fenced --complete --shard 1/4",
    "lockstorm hunt --ladder --budget 10m --resume --report markdown,junit",
  ],
  exits: {
    valid: "enough runs were decided, and none broke a required property; a table: each lock is as it claims",
    invalid: "a run broke a required property; a table: a lock broke what it claims",
    unknown: "too little was decided, a client crashed, or a cell or a shard is missing",
  },
  run: async (input) => {
    const { operands, flags } = input;
    refuseOperands("hunt", operands, "name the lock with --lock");
    const code = await (flags.on("all") || flags.on("ladder") ? runLadder(input) : runHunt(input));
    return campaignExitCode(code, flags);
  },
};

async function runHunt({ flags, signal }: CommandInput): Promise<number> {
  const { required, json, environment } = readRunFlags(flags);
  const formats = readFormats(flags);
  const options = { ...readHuntOptions(flags), required };
  using progress = new TerminalProgress();
  const result = await huntLock(options, { ...environment, signal, progress });
  progress[Symbol.dispose]();
  return printHunt(result, { json, formats });
}

async function runLadder({ flags, signal }: CommandInput): Promise<number> {
  const { json, store, environment } = readRunFlags(flags);
  const formats = readFormats(flags);
  const options = readLadderOptions(flags);
  const former = flags.text("former");
  // Read before the search: a wrong name must not cost the table that took hours.
  readFormer(`${LADDER}${shardSuffix(options.shard)}`, { former, store });
  using progress = new TerminalProgress();
  const result = await huntLadder(options, { ...environment, signal, progress });
  progress[Symbol.dispose]();
  return printLadder(result, { store, json, formats, former });
}
