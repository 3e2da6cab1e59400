import { execFileSync } from "node:child_process";
import { UserError } from "../../core/errors.ts";
import type { Flags } from "../command.ts";

/**
 * Variables in which CI systems give the commit: GitHub, GitLab, CircleCI, Travis and Buildkite, Bitbucket, Jenkins,
 * Azure.
 */
const COMMIT_VARIABLES = [
  "GITHUB_SHA",
  "CI_COMMIT_SHA",
  "CIRCLE_SHA1",
  "TRAVIS_COMMIT",
  "BUILDKITE_COMMIT",
  "BITBUCKET_COMMIT",
  "GIT_COMMIT",
  "BUILD_SOURCEVERSION",
];

/** The flag `--seed` of commands that search. */
export const SEED_HELP = "seed of the campaign; auto takes it from the commit, so that all shards of a commit agree";

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

/** The commit that is checked out here, or else the one that the CI system names. */
function currentCommit(environment: NodeJS.ProcessEnv = process.env): string {
  const candidates = [checkedOut, ...COMMIT_VARIABLES.map((name) => () => environment[name])];
  for (const candidate of candidates) {
    const commit = candidate()?.trim();
    if (commit !== undefined && /^[\da-f]{8,64}$/i.test(commit)) return commit;
  }
  throw new UserError("--seed auto finds no commit here", "run in a git checkout, set GITHUB_SHA, or give a number");
}

function checkedOut(): string | undefined {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    // No git, no repository, no commit yet.
    return undefined;
  }
}
