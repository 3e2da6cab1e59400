import { explore as exploreLock } from "../../campaign/explore/explore.ts";
import { UserError } from "../../core/errors.ts";
import { readPlan } from "../../run/store.ts";
import { type Command, type Flag, type Flags, refuseOperands } from "../command.ts";
import { campaignFlags, readCampaignFlags } from "../flags/campaign-flags.ts";
import { readRunFlags, runFlags } from "../flags/run-flags.ts";
import { AUTO_HELP, readSeed } from "../flags/seed-flag.ts";
import { campaignExitCode, exitZeroFlag } from "../flags/exit-zero-flag.ts";
import { readShard } from "../flags/shard-flag.ts";
import { printExploration } from "../print-exploration.ts";
import { TerminalProgress } from "../terminal-progress.ts";

const { require: requireFlag, store, json } = runFlags;
const { topology, faults } = campaignFlags;
const { value, choices } = campaignFlags.persistence;
/** Without a default: a lock's recipe may prescribe what its servers persist. */
const persistence: Flag = { value, choices, help: "what the nodes keep on disk (default: what the lock prescribes)" };
/** Beyond this a bound is out of reach: each deviation more takes a thousand times as long. */
const MOST_DEVIATIONS = 4;

/** `lockstorm explore`: every schedule with up to a number of deviations. */
export const explore: Command = {
  name: "explore",
  summary: "run every schedule of a small workload with up to N faults, in simulation",
  operands: "",
  flags: {
    lock: { value: "lock", help: "a lock's name, or the path of a driver", default: "single" },
    topology,
    persistence,
    faults: { ...faults, help: faults.help.replace("faults to draw from", "faults that deviations are made of") },
    deviations: {
      value: "n",
      help: `maximum number of faults in a schedule, at most ${MOST_DEVIATIONS}`,
      default: "1",
    },
    clients: { value: "n", help: "how many clients contend", default: "2" },
    sections: { value: "n", help: "how many critical sections each client has", default: "1" },
    plan: { value: "file", help: "take the workload from this plan, which must have no faults" },
    seed: {
      value: "seed",
      help: `seed of the network's jitter, the same in all schedules; ${AUTO_HELP}`,
      default: "1",
    },
    resolution: { value: "time", help: "deadlines closer together than this count as one", default: "10ms" },
    "no-reduction": { help: "also run schedules that are equivalent to others: all moments, servers and lengths" },
    "keep-going": { help: "continue after the first schedule that breaks the lock" },
    threads: { value: "n", help: "how many threads run schedules (default: by cores and memory)" },
    budget: { value: "time", help: "start no new schedule after this time: 90s, 5m; a bare number is in seconds" },
    shard: { value: "i/n", help: "explore only the i-th of n parts of the last level, or auto, as in hunt" },
    ...exitZeroFlag,
    resume: { help: "continue an interrupted exploration with the same flags in this store" },
    require: requireFlag,
    store,
    json,
  },
  examples: [
    "lockstorm explore --lock single --faults pause-client,stall",
    "lockstorm explore --lock ./my-lock.ts --topology redlock",
    "lockstorm explore --lock fenced --deviations 2 --faults pause-client,kill-client,reset,partition --resume",
    "lockstorm explore --lock redlock --shard 1/8 --store results-1",
  ],
  exits: {
    valid: "every schedule was run, and none breaks the lock",
    invalid: "a schedule breaks the lock",
    unknown: "the schedules were not all run, or too few were decided",
  },
  run: async ({ operands, flags, signal }) => {
    refuseOperands("explore", operands, "name the lock with --lock");
    const { required, json: asJson, environment } = readRunFlags(flags);
    const options = { ...readExploreOptions(flags), required };
    using progress = new TerminalProgress();
    const result = await exploreLock(options, { ...environment, signal, progress });
    progress[Symbol.dispose]();
    return campaignExitCode(await printExploration(result, asJson), flags);
  },
};

function readExploreOptions(flags: Flags) {
  const { faults: kinds, ...where } = readCampaignFlags(flags);
  if (kinds?.length === 0) throw new UserError("there is nothing to explore without faults", "leave out --faults none");
  const plan = flags.text("plan");
  return {
    lock: flags.text("lock") ?? "single",
    ...where,
    faults: kinds,
    deviations: flags.integer("deviations", 1, MOST_DEVIATIONS),
    clients: flags.integer("clients", 1, 8),
    sections: flags.integer("sections", 1, 8),
    workload: plan === undefined ? undefined : readPlan(plan),
    seed: readSeed(flags),
    resolutionMs: flags.durationMs("resolution", "ms"),
    reduction: !flags.on("no-reduction"),
    keepGoing: flags.on("keep-going"),
    threads: flags.integer("threads", 1, 256),
    budgetMs: flags.durationMs("budget", "s"),
    shard: readShard(flags),
    resume: flags.on("resume"),
  };
}
