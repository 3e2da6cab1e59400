import type { Shard } from "../../campaign/campaign-journal.ts";
import { UserError } from "../../core/errors.ts";
import type { Flags } from "../command.ts";

/** What stands where jobs of one campaign are numbered: the variables of the number and of the count, and the first number. */
interface NumberedJobs {
  readonly index: string;
  readonly count: string;
  /** The first number: a digit, or the variable that has it. */
  readonly first: string;
}

/** In the order in which they are looked for. */
const NUMBERED_JOBS: readonly NumberedJobs[] = [
  // Kubernetes numbers the pods of an Indexed Job, but tells no pod how many there are.
  { index: "JOB_COMPLETION_INDEX", count: "LOCKSTORM_SHARDS", first: "0" },
  { index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", first: "SLURM_ARRAY_TASK_MIN" },
  { index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: "1" },
  { index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL", first: "0" },
  { index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT", first: "0" },
];

export const SHARD_HELP =
  "run only shard i of n, or auto for the shard of this job of an array; lockstorm merge merges their results";

/**
 * The value of `--shard`: `2/4` for the second of four parts, `auto` for the part of this job of a Kubernetes Indexed Job
 * (with `LOCKSTORM_SHARDS`), a Slurm array, or parallel jobs of GitLab, CircleCI or Buildkite.
 * @throws UserError when it is not of this form, or this is no such job
 */
export function readShard(
  flags: Flags,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Shard | undefined {
  const text = flags.text("shard");
  if (text === undefined) return undefined;
  if (text === "auto") return shardOfJob(environment);
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index !== undefined && count !== undefined && index >= 1 && index <= count) return { index, count };
  throw new UserError(
    `--shard "${text}" is not a shard`,
    "write the second of four shards as --shard 2/4, or --shard auto in a job of an array",
  );
}

function shardOfJob(environment: Readonly<Record<string, string | undefined>>): Shard {
  const jobs = NUMBERED_JOBS.find(({ index }) => environment[index] !== undefined);
  if (jobs === undefined) {
    const variables = NUMBERED_JOBS.map(({ index }) => index).join(", ");
    throw new UserError(`--shard auto finds no number of a job (${variables})`, "write it as --shard 2/4");
  }
  const first = /^\d$/.test(jobs.first) ? Number(jobs.first) : wholeNumber(jobs.first, environment);
  const count = wholeNumber(jobs.count, environment);
  const index = wholeNumber(jobs.index, environment) - first + 1;
  if (index >= 1 && index <= count) return { index, count };
  throw new UserError(
    `--shard auto: ${jobs.index} ${environment[jobs.index]} is not one of ${count} jobs (${jobs.count})`,
    `give ${jobs.count} the number of jobs`,
  );
}

function wholeNumber(variable: string, environment: Readonly<Record<string, string | undefined>>): number {
  const text = environment[variable];
  if (text !== undefined && /^\d{1,9}$/.test(text)) return Number(text);
  const problem = text === undefined ? `${variable} is not set` : `${variable} "${text}" is not a whole number`;
  throw new UserError(`--shard auto: ${problem}`, `set ${variable}, or write the shard as --shard 2/4`);
}
