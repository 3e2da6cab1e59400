/**
 * `npm run docs:libraries`: writes the page of the lock libraries, `docs/libraries.md`. With `--measure`, the locks of other
 * languages first run their scenarios on live servers: some ten minutes; names after it are the locks that do.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { libraryWorkers } from "../lock-impl/workers/workers.ts";
import { keepMeasurements, keptMeasurements } from "./lock-pages/kept-measurements.ts";
import { libraryDocument } from "./lock-pages/lock-documents.ts";
import { type MeasuredOutcome, scenariosFor } from "./lock-pages/measured-table.ts";
import { step } from "./steps.ts";
import { trySide } from "./upstream/try-side.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);

if (words.includes("--measure")) {
  const asked = words.filter((word) => !word.startsWith("--"));
  const area = mkdtempSync(join(tmpdir(), "lockstorm-measure-"));
  try {
    for (const worker of libraryWorkers) {
      const lock = worker.name;
      if (asked.length > 0 && !asked.includes(lock)) continue;
      const outcomes: Record<string, MeasuredOutcome> = {};
      for (const plan of scenariosFor(worker)) {
        await step(`${plan} with ${lock}`, async () => {
          outcomes[plan] = await trySide({ plan, property: "lease-exclusion" }, { lock }, { root, area });
        });
      }
      keepMeasurements(root, { ...keptMeasurements(root), [lock]: outcomes });
    }
  } finally {
    rmSync(area, { recursive: true });
  }
}
const { path, text } = libraryDocument(root);
writeFileSync(join(root, path), text);
