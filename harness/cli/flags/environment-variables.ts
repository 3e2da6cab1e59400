import { DEFAULT_STEP_LIMIT_MS } from "../../campaign/parallel/hang-watch.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** Variables of the environment that stand for no flag, and what each does, as Markdown without a full stop. */
export const ENVIRONMENT_VARIABLES: Readonly<Record<string, string>> = {
  NO_COLOR: "turns off colours",
  FORCE_COLOR: "turns colours on where the output is no terminal, and off with the value 0",
  COLUMNS: "how wide the output is where it is no terminal",
  LOCKSTORM_ASCII: "draws without box characters",
  LOCKSTORM_DEBUG: "adds the stack to an error",
  LOCKSTORM_STEP_LIMIT_MS: `milliseconds of processor time that a lock may compute without waiting for anything (default: ${inFigures(DEFAULT_STEP_LIMIT_MS)})`,
  LOCKSTORM_PATH:
    "in a test of `verifyLock`: the path to a counterexample; `LOCKSTORM_SEED`, `LOCKSTORM_RUNS` and `LOCKSTORM_BUDGET` apply to tests too",
  LOCKSTORM_SHARDS: "how many pods a Kubernetes Indexed Job has, for `--shard auto`",
  LOCKSTORM_BASE_IMAGE: "`setup`: the Debian image to build on",
  LOCKSTORM_DEBIAN_MIRROR: "`setup`: the mirror to bootstrap a base image from",
  LOCKSTORM_TOXIPROXY_IMAGE: "`setup`: an image of Toxiproxy to use instead of building one",
};
