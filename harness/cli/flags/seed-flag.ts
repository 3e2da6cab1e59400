import { UserError } from "../../core/errors.ts";
import type { Flags } from "../command.ts";
import { findCommit } from "./commit.ts";

/** What `--seed auto` does. */
export const AUTO_HELP = "auto takes it from the commit";

/**
 * The value of `--seed`; `auto` is the first 31 bits of the commit hash.
 * @throws UserError when it is not a seed, or when there is no commit
 */
export function readSeed(flags: Flags): number | undefined {
  return flags.text("seed") === "auto" ? seedOfCommit(currentCommit()) : flags.integer("seed", 0);
}

/** The same seed for the same commit. */
export function seedOfCommit(commit: string): number {
  return Number.parseInt(commit.slice(0, 8), 16) & 0x7fff_ffff;
}

/** @throws UserError when there is no commit */
function currentCommit(): string {
  const commit = findCommit();
  if (commit !== undefined) return commit;
  throw new UserError("--seed auto finds no commit here", "run in a git checkout, set GITHUB_SHA, or give a number");
}
