import { execFileSync } from "node:child_process";

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

/** The commit that is checked out here, or else the one that the CI system names; undefined without either. */
export function findCommit(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const candidates = [checkedOut, ...COMMIT_VARIABLES.map((name) => () => environment[name])];
  for (const candidate of candidates) {
    const commit = candidate()?.trim();
    if (commit !== undefined && /^[\da-f]{8,64}$/i.test(commit)) return commit;
  }
  return undefined;
}

function checkedOut(): string | undefined {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    // No git, no repository, no commit yet.
    return undefined;
  }
}
