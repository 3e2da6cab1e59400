import { backendFlag } from "../backend.ts";
import { huntLock } from "../campaign/hunt-lock.ts";
import { reportFlag } from "../campaign/report-files.ts";
import { SEED_HELP } from "../campaign/seed.ts";
import { campaignFlags } from "../campaign-command.ts";
import { runFlags } from "../common-flags.ts";
import { type Command, refuseOperands } from "../command.ts";
import { huntLadder } from "../ladder/hunt-ladder.ts";

/** `lockstorm hunt`: generated plans, until one breaks what the lock claims; then the shortest that does. */
export const hunt: Command = {
  name: "hunt",
  summary: "search for a schedule that breaks a lock, and shrink it",
  operands: "",
  flags: {
    lock: {
      value: "lock",
      help: "the lock: a name, or the path of a driver (default: single); with --ladder or --all: only these, names with commas",
    },
    ladder: {
      help: "the locks of the ladder by all faults as a table: claimed against found; on containers, what the simulation found is asked of real servers",
    },
    all: { help: "the same table for every lock: flawed specimens and libraries too" },
    ...campaignFlags,
    backend: { ...backendFlag, default: "simulated" },
    runs: { value: "number", help: "how many plans to try (default: 1000, on containers 20)" },
    budget: { value: "seconds", help: "begin no run, and no cell of a table, after this long" },
    "shrink-runs": { value: "number", help: "how many runs shrinking may take (default: 500, on containers 20)" },
    seed: { value: "number", help: `${SEED_HELP} (default: random, and printed; of a table 1)` },
    path: { value: "path", help: "go straight to a counterexample that a campaign of this seed printed" },
    shard: { value: "i/n", help: "do the i-th of n parts only; lockstorm merge puts their results together" },
    resume: { help: "go on where the same hunt in this store was interrupted, if it was" },
    former: { value: "folder", help: "results to compare a table with (default: what the store held before)" },
    ...reportFlag,
    ...runFlags,
  },
  examples: [
    "lockstorm hunt --lock ./my-lock.ts --topology sentinel",
    "lockstorm hunt --lock redlock --faults clock-jump,partition --budget 300",
    "lockstorm hunt --lock single --faults pause-client --require mutual-exclusion",
    "lockstorm hunt --all",
    "lockstorm hunt --ladder --lock single,redlock --runs 1000",
    "lockstorm hunt --ladder --lock fenced,redlock --backend containers",
    "lockstorm hunt --all --seed auto --shard 2/4 --store results",
    "lockstorm hunt --ladder --budget 600 --resume --report markdown,junit",
  ],
  run: async ({ operands, flags, signal }) => {
    refuseOperands("hunt", operands, "name the lock with --lock");
    return flags.on("all") || flags.on("ladder") ? huntLadder(flags, signal) : huntLock(flags, signal);
  },
};
