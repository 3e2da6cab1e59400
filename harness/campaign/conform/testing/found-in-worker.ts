import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { topologySchema } from "../../../core/topology.ts";
import { type ConformBackend, conformWorker } from "../conform-worker.ts";

/** What these checks find of the worker for tests with this mistake: outcomes, and what they say. */
export async function foundInWorker(
  mistake: string,
  backend: ConformBackend,
  ...only: readonly string[]
): Promise<readonly (readonly [outcome: string, details: string])[]> {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  try {
    const lock = join(folder, "a.worker.json");
    const words = [join(import.meta.dirname, "../../../external/testing/worker.py"), mistake];
    writeFileSync(lock, JSON.stringify({ command: { program: "python3", arguments: words }, topologies: ["single"] }));
    const topology = topologySchema.parse({ kind: "single" });
    const { checks } = await conformWorker({ lock, topology, seed: 1 }, { only, backend });
    return checks.map(({ outcome, details }) => [outcome, details.join()]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
