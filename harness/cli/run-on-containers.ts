import { faults } from "../../faults/registry.ts";
import { checkHistory } from "../check/check.ts";
import { imagesOf } from "../containers/container-layout.ts";
import { startContainerSystem } from "../containers/container-system.ts";
import { connectEngine, withinDeadline } from "../containers/engine.ts";
import { nodeImage, type NodeServer } from "../containers/images.ts";
import { requireImages } from "../containers/images-present.ts";
import { sweep } from "../containers/sweep.ts";
import { HarnessError, messageOf, UserError } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import type { Property } from "../core/verdict.ts";
import { runPlan } from "../run/run-plan.ts";
import { RunFolder } from "../run/store.ts";
import type { RunRecord } from "../../reports/run-record.ts";
import { firstError } from "./first-error.ts";
import { refuseUnfit } from "./plan-fitness.ts";
import type { Progress } from "./progress.ts";

export interface ExecuteOptions {
  readonly store: string;
  readonly title: string;
  readonly required: readonly Property[];
  readonly server: NodeServer;
  readonly proxyPort: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** What starts the system; by default one for this run alone. */
  readonly start?: typeof startContainerSystem;
}

/** A run that is over, with where it was recorded. */
export interface ExecutedRun {
  readonly record: RunRecord;
  readonly folder: string;
}

/**
 * Runs a plan on containers, records and judges it. The run's folder holds the plan before anything starts and the
 * history while it is made; the verdict comes last.
 * @throws UserError before anything is started, when the plan cannot run here
 * @throws HarnessError when the system broke down; the error names where the history so far is
 */
export async function runOnContainers(plan: Plan, options: ExecuteOptions): Promise<ExecutedRun> {
  const { progress, signal, required, title, server, start = startContainerSystem } = options;
  const redisImage = nodeImage(server).name;
  await refuseUnfit(plan);
  const images = imagesOf(plan.topology, redisImage);
  await prepareEngine(images);
  using folder = RunFolder.create(options.store, plan, new Date());
  let started = false;
  try {
    signal.throwIfAborted();
    progress.step(`${title}: starting ${plan.topology.kind} in containers`);
    await using system = await start(plan, {
      logFolder: folder.logFolder,
      image: redisImage,
      proxyPort: options.proxyPort,
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
    if (signal.aborted || (!started && error instanceof UserError)) throw error;
    const kept = started ? `; the history so far is kept: npx lockstorm check ${folder.historyFile}` : "";
    throw new HarnessError(`${await inWords(error)}${kept}`, { cause: thrown });
  }
}

/** What broke a run. An engine that is gone shows in many ways, few of which name it. */
async function inWords(error: unknown): Promise<string> {
  if (error instanceof UserError) return `${error.message}; ${error.mend}`;
  if (error instanceof HarnessError) return error.message;
  return (await engineAnswers()) ? messageOf(error) : `the container engine is gone: ${messageOf(error)}`;
}

let swept: Promise<unknown> | undefined;

/** An engine with our images, and, once a process, without what former runs left behind. */
async function prepareEngine(images: readonly string[]): Promise<void> {
  if (process.platform !== "linux") {
    // Clients reach Toxiproxy on the loopback of the engine's machine, and the harness the nodes on its bridge.
    throw new UserError(
      "runs in containers need an engine on this machine's own Linux",
      "run lockstorm inside a Linux machine, virtual or not",
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
