import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imagesOf } from "../../containers/container-layout.ts";
import { ContainerPool } from "../../containers/container-pool.ts";
import { nodeImage } from "../../containers/setup/images.ts";
import { describeWorker } from "../../external/describe-worker.ts";
import type { Capabilities } from "../../external/capabilities.ts";
import { findWorker } from "../../external/find-worker.ts";
import { loadDriver } from "../../client/load-driver.ts";
import { cleanup } from "../cleanup.ts";
import { plansAtATime } from "../parallel/plans-at-a-time.ts";
import { completeEnvironment, type RunEnvironment } from "../run-environment.ts";
import { prepareEngine } from "../run-on-containers.ts";
import { permits } from "./checks/permits.ts";
import { readers } from "./checks/readers.ts";
import { waiting } from "./checks/waiting.ts";
import { CHECKLIST } from "./checklist.ts";
import { type ConformOptions, type ConformResult, planOfCheck } from "./conform-driver.ts";
import type { Conformity, ConformityCheck } from "./conformity.ts";
import { Trial } from "./trial.ts";

/**
 * Tries a worker against the checklist that drivers are tried against, on real servers and in real time: most of a
 * minute. What the worker says that its lock cannot do is not asked of it.
 * @param only the names of the checks. Default: all
 * @throws UserError when the worker cannot be used, or containers cannot run here
 */
export async function conformWorker(
  options: Pick<ConformOptions, "lock" | "topology" | "seed" | "signal">,
  environment: RunEnvironment & { readonly only?: readonly string[] } = {},
): Promise<ConformResult> {
  const { lock, topology, seed } = options;
  const { server, proxyPort, progress } = completeEnvironment(environment);
  const { only } = environment;
  // One that cannot be read is one line, before anything starts.
  await loadDriver(lock);
  const worker = findWorker(lock);
  const capabilities = worker === undefined ? undefined : await describeWorker(worker);
  const image = nodeImage(server).name;
  cleanup.isDue = true;
  await prepareEngine(imagesOf(topology, image));
  const parallel = await plansAtATime("containers", undefined, { proxyPort });
  const logFolder = await mkdtemp(join(tmpdir(), "lockstorm-conform-"));
  try {
    await using pool = new ContainerPool(parallel);
    const trying = async (check: ConformityCheck): Promise<Conformity> => {
      options.signal?.throwIfAborted();
      const { name, asks, run } = check;
      const reason = needless(check, capabilities);
      if (reason !== undefined) return { name, asks, outcome: "skipped", details: [reason] };
      progress.step(`trying: ${name}`);
      await using system = await pool.start(planOfCheck(options), { logFolder, image, proxyPort });
      return { name, asks, ...(await Trial.of(system, run)) };
    };
    const checks = CHECKLIST.filter(({ name }) => only?.includes(name) ?? true);
    return { lock, topology: topology.kind, seed, checks: await inParallel(checks, parallel, trying) };
  } finally {
    await rm(logFolder, { recursive: true, force: true });
  }
}

/** Why a check does not apply to a lock of these capabilities; undefined if it does. */
function needless({ name, needs }: ConformityCheck, capabilities: Capabilities | undefined): string | undefined {
  if (capabilities === undefined) return undefined;
  const { waits, supports = {} } = capabilities;
  if (name === waiting.name && !waits) return "the worker says that its lock does not wait";
  if (name === permits.name && supports.permits !== true) return "the worker says that its lock is no semaphore";
  if (needs !== undefined && supports[needs] !== true) return `the worker does not say that its lock supports ${needs}`;
  if (name === readers.name && supports.modes !== true) return "the worker says that its lock has no readers";
  return undefined;
}

/** The results in the order of the items, at most `most` at a time. After an error no other item begins. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const one = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const index = next++;
      const item = items[index];
      if (item === undefined) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: most }, one));
  const failure = outcomes.find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
  return results;
}
