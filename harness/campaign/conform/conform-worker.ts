import { ContainerPool } from "../../containers/container-pool.ts";
import { nodeImage } from "../../containers/setup/images.ts";
import type { Plan } from "../../core/plan.ts";
import type { SystemUnderTest } from "../../core/system.ts";
import type { Backend } from "../../core/topologies/backend.ts";
import type { TopologySpec } from "../../core/topology.ts";
import { startLiveSystem } from "../../live/live-system.ts";
import { describeWorker } from "../../external/describe-worker.ts";
import type { Capabilities } from "../../external/capabilities.ts";
import { findWorker } from "../../external/find-worker.ts";
import { loadDriver } from "../../client/load-driver.ts";
import { plansAtATime } from "../parallel/plans-at-a-time.ts";
import { completeEnvironment, type RunEnvironment } from "../run-environment.ts";
import { prepareLive, requireLive } from "../real-time/run-live.ts";
import { StartedAgain } from "../real-time/started-again.ts";
import { prepareEngineFor } from "../run-on-containers.ts";
import { waiting } from "./checks/waiting.ts";
import { undeclared } from "./undeclared.ts";
import { checkFor, WITHOUT_LEASES } from "./check-without-leases.ts";
import { CHECKLIST } from "./checklist.ts";
import { type ConformOptions, type ConformResult, planOfCheck } from "./conform-driver.ts";
import { ConformLogs } from "./conform-logs.ts";
import type { Conformity, ConformityCheck } from "./conformity.ts";
import { Lateness } from "./lateness.ts";
import { LateAnswerError, Trial } from "./trial.ts";

/** Where the checks run: on real servers, or on simulated ones in real time, without a container engine. */
export type ConformBackend = Exclude<Backend, "simulated">;

/** Starts a system for each check, a limited number at a time. */
interface Place extends AsyncDisposable {
  readonly atATime: number;
  start(plan: Plan, logFolder: string): Promise<SystemUnderTest & AsyncDisposable>;
}

/**
 * Tries a worker against the checklist that drivers are tried against, in real time: most of a minute. What the worker
 * says that its lock cannot do is not asked of it.
 * @param backend default: containers
 * @param only the names of the checks. Default: all
 * @throws UserError when the worker cannot be used, or the backend cannot run here
 */
export async function conformWorker(
  options: Pick<ConformOptions, "lock" | "topology" | "seed" | "signal">,
  environment: RunEnvironment & {
    readonly only?: readonly string[];
    readonly backend?: ConformBackend | undefined;
  } = {},
): Promise<ConformResult> {
  const { lock, topology, seed } = options;
  const { progress } = completeEnvironment(environment);
  const { only, backend = "containers" } = environment;
  // One that cannot be read is one line, before anything starts.
  const driver = await loadDriver(lock);
  const worker = findWorker(lock);
  const capabilities = worker === undefined ? undefined : await describeWorker(worker);
  using logs = new ConformLogs();
  await using place = backend === "live" ? await onLoopback(topology) : await inContainers(topology, environment);
  // A worker has started by now, to say what it can do.
  const starts = new StartedAgain(
    true,
    (reason) => progress.note(`a check is tried again: ${reason}`),
    capabilities !== undefined,
  );
  const trying = async (check: ConformityCheck): Promise<Conformity> => {
    options.signal?.throwIfAborted();
    const chosen = checkFor(check, driver);
    const reason = needless(check, capabilities) ?? (chosen === undefined ? WITHOUT_LEASES : undefined);
    const { name, asks, run } = chosen ?? check;
    if (reason !== undefined) return { name, asks, outcome: "skipped", details: [reason] };
    progress.step(`trying: ${name}`);
    const attempt = (triesAgain: boolean): ReturnType<typeof Trial.of> =>
      starts.run(async () => {
        await using system = await place.start(planOfCheck(options), logs.of(name));
        using lateness = new Lateness();
        return await Trial.of(system, run, {
          ttlGranularityMs: capabilities?.ttlGranularityMs,
          lateMs: () => lateness.mostMs,
          triesAgain,
        });
      });
    try {
      const found = await attempt(true).catch((error: unknown) => {
        if (!(error instanceof LateAnswerError)) throw error;
        progress.note(`a check is tried again: ${error.message}`);
        return attempt(false);
      });
      logs.keepNamedIn(found.details.join("\n"));
      return { name, asks, ...found };
    } catch (error) {
      logs.keepNamedBy(error);
      throw error;
    }
  };
  const checks = CHECKLIST.filter(({ name }) => only?.includes(name) ?? true);
  return { lock, topology: topology.kind, seed, checks: await inParallel(checks, place.atATime, trying) };
}

async function inContainers(topology: TopologySpec, environment: RunEnvironment): Promise<Place> {
  const { server, proxyPort } = completeEnvironment(environment);
  const image = nodeImage(server).name;
  await prepareEngineFor([topology], { server });
  const atATime = await plansAtATime("containers", undefined, { proxyPort });
  const pool = new ContainerPool(atATime);
  return {
    atATime,
    start: (plan, logFolder) => pool.start(plan, { logFolder, image, proxyPort }),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

async function onLoopback(topology: TopologySpec): Promise<Place> {
  requireLive(topology);
  await prepareLive();
  return {
    atATime: await plansAtATime("live", undefined, { proxyPort: 0 }),
    start: (plan, logFolder) => startLiveSystem(plan, { logFolder }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Why a check does not apply to a lock of these capabilities; undefined if it does. */
function needless({ name, needs }: ConformityCheck, capabilities: Capabilities | undefined): string | undefined {
  if (capabilities === undefined) return undefined;
  const { waits, supports = {} } = capabilities;
  if (name === waiting.name && !waits) return "the worker says that its lock does not wait";
  return needs !== undefined && supports[needs] !== true ? undeclared(needs, "worker") : undefined;
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
