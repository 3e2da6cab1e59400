import { rmSync } from "node:fs";
import { faults } from "../../faults/registry.ts";
import { checkHistory } from "../check/check.ts";
import { imagesOf } from "../containers/container-layout.ts";
import { startContainerSystem } from "../containers/container-system.ts";
import { connectEngine, withinDeadline } from "../containers/engine/engine.ts";
import { nodeImage } from "../containers/setup/images.ts";
import { requireImages } from "../containers/setup/images-present.ts";
import { sweep } from "../containers/cleanup/sweep.ts";
import { HarnessError, messageOf, UserError } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import { runPlan } from "../run/run-plan.ts";
import { RunFolder } from "../run/store.ts";
import { cleanup } from "./cleanup.ts";
import { firstError } from "../core/first-error.ts";
import { validatePlan } from "./validate-plan.ts";
import type { ExecuteOptions } from "./execute.ts";
import { completeEnvironment } from "./run-environment.ts";
import type { KeptRun } from "./kept-run.ts";

/**
 * Runs a plan on containers, records and judges it. The run's folder gets the plan before anything starts and the
 * history while the run goes on; the verdict comes last.
 * @throws UserError before anything is started, when the plan cannot run here
 * @throws HarnessError when the system failed; the error says where the history so far is
 */
export async function runOnContainers(plan: Plan, options: ExecuteOptions): Promise<KeptRun> {
  const { required, title, pool, unwanted } = options;
  const { store, proxyPort, progress, server, ...environment } = completeEnvironment(options);
  const signal = unwanted === undefined ? environment.signal : AbortSignal.any([environment.signal, unwanted]);
  const start: typeof startContainerSystem =
    pool === undefined ? startContainerSystem : (...system) => pool.start(...system);
  const redisImage = nodeImage(server).name;
  await validatePlan(plan);
  const images = imagesOf(plan.topology, redisImage);
  cleanup.isDue = true;
  await prepareEngine(images);
  using folder = RunFolder.create(store, plan, new Date());
  let started = false;
  try {
    signal.throwIfAborted();
    progress.step(`${title}: starting ${plan.topology.kind} in containers`);
    await using system = await start(plan, {
      logFolder: folder.logFolder,
      image: redisImage,
      proxyPort,
    });
    started = true;
    signal.throwIfAborted();
    progress.step(`${title}: running`);
    const { history } = await runPlan({
      plan,
      system,
      faults,
      sink: folder.sink,
      signal,
      facts: {
        backend: "containers",
        image: images[0] ?? redisImage,
        persistence: plan.topology.persistence,
        startedAt: new Date().toISOString(),
        title,
      },
    });
    progress.step(`${title}: judging, cleaning up`);
    const verdict = checkHistory(history, { required });
    folder.writeVerdict(verdict);
    const replayCommand = `npx lockstorm replay ${folder.planFile}`;
    return { record: { plan, history, verdict, title, replayCommand }, folder: folder.path };
  } catch (thrown) {
    const error = firstError(thrown);
    if (unwanted?.aborted === true) rmSync(folder.path, { recursive: true });
    if (signal.aborted || (!started && error instanceof UserError)) throw error;
    const kept = started ? `; the history so far is kept: npx lockstorm check ${folder.historyFile}` : "";
    throw new HarnessError(`${await inWords(error)}${kept}`, { cause: thrown });
  }
}

/** The error that broke a run. A lost engine shows in many ways, few of which name it. */
async function inWords(error: unknown): Promise<string> {
  if (error instanceof UserError) return `${error.message}; ${error.hint}`;
  if (error instanceof HarnessError) return error.message;
  return (await engineAnswers()) ? messageOf(error) : `the container engine is gone: ${messageOf(error)}`;
}

let swept: Promise<unknown> | undefined;

/** An engine with our images. Once per process, the leftovers of earlier runs are removed. */
async function prepareEngine(images: readonly string[]): Promise<void> {
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
