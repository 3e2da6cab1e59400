import { rm } from "node:fs/promises";
import type Dockerode from "dockerode";
import { connectEngine, withinDeadline } from "../engine/engine.ts";
import { changeSystem, endContainer } from "../engine/engine-turns.ts";
import { ownerFromLabels, RUN_LABEL } from "./labels.ts";
import { killMarked } from "./marked-processes.ts";
import { killExactly, ownerState, type Owner } from "./process-identity.ts";
import { RunResources } from "./run-resources.ts";

/** The numbers of what a clean-up removed. */
export interface Removed {
  readonly processes: number;
  readonly containers: number;
  readonly networks: number;
  readonly paths: number;
}

/** Whether it removed anything. */
export function removedAnything(removed: Removed): boolean {
  return removed.processes + removed.containers + removed.networks + removed.paths > 0;
}

/**
 * Removes everything left of a run: its client processes, even stopped ones, and what they started, then its containers,
 * networks and folders, then its record. Doing it twice, or twice at a time, does no harm.
 * @param usesEngine false: the run has no containers and no networks
 * @throws UserError when the engine cannot be reached; processes are ended nevertheless
 */
export async function sweepRun(runId: string, usesEngine = true): Promise<Removed> {
  const record = RunResources.of(runId);
  const processes = record.processes.filter(killExactly).length + killMarked(runId);
  const [containers, networks] = usesEngine ? await sweepEngine(runId) : [0, 0];
  const { paths } = record;
  for (const path of paths) await rm(path, { recursive: true, force: true });
  record.remove();
  return { processes, containers, networks, paths: paths.length };
}

async function sweepEngine(runId: string): Promise<readonly [containers: number, networks: number]> {
  const engine = await connectEngine();
  return changeSystem(
    async () => [await removeContainers(engine, runId), await removeNetworks(engine, runId)] as const,
  );
}

/** Cleans up after the dead runs that had no containers: needs no engine. */
export async function sweepProcesses(): Promise<void> {
  for (const { runId, owner, usesEngine } of RunResources.all()) {
    if (!usesEngine && owner !== undefined && ownerState(owner) === "dead") await sweepRun(runId, false);
  }
}

/** Runs whose harness is dead, according to labels and records. */
export async function deadRuns(): Promise<readonly string[]> {
  const engine = await connectEngine();
  const owners = new Map<string, Owner | undefined>();
  for (const record of RunResources.all()) owners.set(record.runId, record.owner);
  const filters = { label: [RUN_LABEL] };
  const containers = await engine.listContainers({ all: true, filters });
  const networks = await engine.listNetworks({ filters });
  for (const { Labels } of [...containers, ...networks]) {
    const runId = Labels?.[RUN_LABEL];
    if (runId !== undefined && Labels !== undefined) owners.set(runId, ownerFromLabels(Labels) ?? owners.get(runId));
  }
  // Where no owner is named, nobody can say whether it lives: the run is left alone.
  return [...owners].filter(([, owner]) => owner !== undefined && ownerState(owner) === "dead").map(([runId]) => runId);
}

/** Cleans up after all dead runs. Runs of living processes, and of other machines, are left alone. */
export async function sweep(): Promise<Removed> {
  let total: Removed = { processes: 0, containers: 0, networks: 0, paths: 0 };
  for (const runId of await deadRuns()) {
    const removed = await sweepRun(runId, RunResources.of(runId).usesEngine);
    total = {
      processes: total.processes + removed.processes,
      containers: total.containers + removed.containers,
      networks: total.networks + removed.networks,
      paths: total.paths + removed.paths,
    };
  }
  return total;
}

async function removeContainers(engine: Dockerode, runId: string): Promise<number> {
  const containers = await engine.listContainers({ all: true, filters: { label: [`${RUN_LABEL}=${runId}`] } });
  for (const { Id } of containers) {
    const container = engine.getContainer(Id);
    const outcome = await endContainer(() => removal(container.remove({ force: true, v: true })));
    // Its network can only be removed after the container.
    if (outcome === "by another") {
      await withinDeadline("remove a container", removal(container.wait({ condition: "removed" })));
    }
  }
  return containers.length;
}

async function removeNetworks(engine: Dockerode, runId: string): Promise<number> {
  const networks = await engine.listNetworks({ filters: { label: [`${RUN_LABEL}=${runId}`] } });
  for (const { Id } of networks) await removal(engine.getNetwork(Id).remove());
  return networks.length;
}

/**
 * Waits for a removal and tolerates that somebody else was first: 404 when it is gone, 409 when its removal is in
 * progress.
 */
async function removal(request: Promise<unknown>): Promise<"done" | "by another"> {
  try {
    await request;
    return "done";
  } catch (error) {
    const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
    if (status === 404) return "done";
    if (status === 409 && error instanceof Error && error.message.includes("already in progress")) return "by another";
    throw error;
  }
}
