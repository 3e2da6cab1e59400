import { imagesOf } from "../containers/container-layout.ts";
import { startContainerSystem } from "../containers/container-system.ts";
import { connectEngine, withinDeadline } from "../containers/engine/engine.ts";
import { nodeImage } from "../containers/setup/images.ts";
import { requireImages } from "../containers/setup/images-present.ts";
import { sweep } from "../containers/cleanup/sweep.ts";
import { UserError } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import type { TopologySpec } from "../core/topology.ts";
import { cleanup } from "./cleanup.ts";
import { validatePlan } from "./validate-plan.ts";
import type { ExecuteOptions } from "./execute.ts";
import { type CompleteEnvironment, completeEnvironment } from "./run-environment.ts";
import type { KeptRun } from "./kept-run.ts";
import { runInRealTime } from "./real-time/run-in-real-time.ts";

/**
 * Runs a plan on containers, records and judges it. The run's folder gets the plan before anything starts and the
 * history while the run goes on; the verdict comes last.
 * @throws UserError before anything is started, when the plan cannot run here
 * @throws FailedRunError when the system failed after the run had begun; HarnessError when it cannot begin. The error says
 * where the history so far is.
 */
export async function runOnContainers(plan: Plan, options: ExecuteOptions): Promise<KeptRun> {
  const { pool } = options;
  const { proxyPort, server } = completeEnvironment(options);
  const start: typeof startContainerSystem =
    pool === undefined ? startContainerSystem : (...system) => pool.start(...system);
  const redisImage = nodeImage(server).name;
  await validatePlan(plan);
  const images = imagesOf(plan.topology, redisImage);
  cleanup.isDue = true;
  await prepareEngine(images);
  return runInRealTime(plan, options, {
    facts: { backend: "containers", image: images[0] ?? redisImage },
    starting: `starting ${plan.topology.kind} in containers`,
    start: (logFolder) => start(plan, { logFolder, image: redisImage, proxyPort, wire: options.wire }),
    replayFlags: "",
    gone: async () => ((await engineAnswers()) ? undefined : "the container engine is gone"),
  });
}

/**
 * An engine with all that these topologies need: for work of which only a later part runs on containers, so that a
 * missing engine is said before the work and not after it.
 * @throws UserError when there is none
 */
export async function prepareEngineFor(
  topologies: readonly TopologySpec[],
  { server }: Pick<CompleteEnvironment, "server">,
): Promise<void> {
  const redisImage = nodeImage(server).name;
  cleanup.isDue = true;
  await prepareEngine([...new Set(topologies.flatMap((topology) => imagesOf(topology, redisImage)))]);
}

let swept: Promise<unknown> | undefined;

/** An engine with our images. Once per process, the leftovers of earlier runs are removed. */
export async function prepareEngine(images: readonly string[]): Promise<void> {
  if (process.platform !== "linux") {
    // Clients reach Toxiproxy on the loopback of the engine's machine, and the harness reaches the nodes on its bridge.
    throw new UserError(
      "runs in containers need a container engine on Linux on this machine",
      "run lockstorm on Linux, for example in a virtual machine",
    );
  }
  await requireImages(images);
  await (swept ??= sweep());
}

async function engineAnswers(): Promise<boolean> {
  try {
    const engine = await connectEngine();
    await withinDeadline("answer", engine.ping(), 2_000);
    return true;
  } catch {
    return false;
  }
}
