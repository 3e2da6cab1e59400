import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { topologySchema } from "../../../core/topology.ts";
import { type ConformBackend, conformWorker } from "../conform-worker.ts";

/** What these checks find of the worker for tests with this mistake: outcomes, and what they say. */
export function foundInWorker(mistake: string, backend: ConformBackend, ...only: readonly string[]): Promise<Found> {
  return foundInStatedWorker(mistake, {}, backend, ...only);
}

type Found = readonly (readonly [outcome: string, details: string])[];

/** The same of a worker whose file states more than how to start it. */
export async function foundInStatedWorker(
  mistake: string,
  stated: object,
  backend: ConformBackend,
  ...only: readonly string[]
): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  try {
    const lock = join(folder, "a.worker.json");
    const words = [join(import.meta.dirname, "../../../external/testing/worker.py"), mistake];
    const command = { program: "python3", arguments: words };
    writeFileSync(lock, JSON.stringify({ command, topologies: ["single"], ...stated }));
    const topology = topologySchema.parse({ kind: "single" });
    const { checks } = await conformWorker({ lock, topology, seed: 1 }, { only, backend });
    return checks.map(({ outcome, details }) => [outcome, details.join()]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
