import type { HuntOptions } from "../../campaign/hunt/hunt-options.ts";
import type { LadderOptions } from "../../campaign/ladder/hunt-ladder.ts";
import { UserError } from "../../core/errors.ts";
import { readCampaignFlags } from "./campaign-flags.ts";
import type { Flags } from "../command.ts";
import { readBackend } from "./run-flags.ts";
import { MOST_THREADS } from "./most-threads.ts";
import { readSeed } from "./seed-flag.ts";
import { readShard } from "./shard-flag.ts";

/** Reads the options that both kinds of hunt share. */
function readCommon(flags: Flags) {
  return {
    backend: readBackend(flags),
    seed: readSeed(flags),
    runs: flags.integer("runs", 1),
    budgetMs: flags.durationMs("budget", "s"),
    shard: readShard(flags),
    resume: flags.on("resume"),
    threads: flags.integer("threads", 1, MOST_THREADS),
  };
}

/**
 * The flags of a hunt for one lock.
 * @throws UserError for an invalid value
 */
export function readHuntOptions(flags: Flags): Omit<HuntOptions, "required"> {
  if (flags.on("complete"))
    throw new UserError("--complete is of a table of locks", "add --ladder, or use lockstorm explore for one lock");
  if (flags.text("former") !== undefined)
    throw new UserError(
      "--former is of a table of locks",
      "add --ladder, or leave it out: regressions are known anyway",
    );
  return {
    ...readCommon(flags),
    ...readCampaignFlags(flags),
    lock: flags.text("lock") ?? "single",
    path: readPath(flags),
    confirm: flags.on("confirm"),
    shrinkRuns: flags.integer("shrink-runs", 0),
  };
}

/**
 * The flags of a table of locks by faults.
 * @throws UserError for an invalid value, or a flag of another hunt
 */
export function readLadderOptions(flags: Flags): LadderOptions {
  const [misplaced] = [
    ...["path", "require", "shrink-runs"].filter((name) => flags.text(name) !== undefined),
    ...(flags.on("confirm") ? ["confirm"] : []),
    // Each lock of a table runs on what it prescribes. Without the flag there is its default.
    ...(["none", undefined].includes(flags.text("persistence")) ? [] : ["persistence"]),
  ];
  if (misplaced !== undefined)
    throw new UserError(
      `--${misplaced} cannot be combined with a table of locks`,
      "hunt one lock, or leave out the flag",
    );
  const { topology, faults } = readCampaignFlags(flags);
  const only = flags.text("lock")?.split(",");
  return { ...readCommon(flags), topology, faults, all: flags.on("all"), only, complete: flags.on("complete") };
}

/** Reads fast-check's path to a counterexample: numbers, the first of which says how many plans are skipped. */
function readPath(flags: Flags): string | undefined {
  const path = flags.text("path");
  if (path === undefined) return undefined;
  if (/^\d{1,7}(:\d{1,7})*$/.test(path)) {
    if (flags.text("seed") !== undefined) return path;
    throw new UserError(
      "--path needs the seed of its hunt",
      `give the seed that the hunt printed: --seed 1 --path ${path}`,
    );
  }
  throw new UserError(
    `--path "${path}" is not a path`,
    "give the path that a hunt with this seed printed, such as --path 7:0:1",
  );
}
