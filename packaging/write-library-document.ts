/**
 * `npm run docs:libraries`: writes the page of the lock libraries, `docs/libraries.md`. With `--measure`, the locks of other
 * languages first run their scenarios on simulated servers in real time and on real ones, which takes about an hour; names after
 * it are the locks that do. What a lock showed is kept once all its runs are over.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { libraryWorkers } from "../lock-impl/workers/workers.ts";
import { keepMeasurements, keptMeasurements } from "./lock-pages/kept-measurements.ts";
import { libraryDocument } from "./lock-pages/lock-documents.ts";
import { MEASURED_ON, type MeasuredScenario, type Rate, scenariosFor } from "./lock-pages/measured-table.ts";
import { step } from "./steps.ts";
import { trySide } from "./upstream/try-side.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
/** How often each scenario runs on each kind of servers. */
const TIMES = 3;

if (words.includes("--measure")) {
  const asked = words.filter((word) => !word.startsWith("--"));
  const area = mkdtempSync(join(tmpdir(), "lockstorm-measure-"));
  try {
    for (const worker of libraryWorkers) {
      const lock = worker.name;
      if (asked.length > 0 && !asked.includes(lock)) continue;
      const outcomes: Record<string, MeasuredScenario> = {};
      for (const plan of scenariosFor(worker)) {
        const [live, containers] = await Promise.all(MEASURED_ON.map((where) => rateOf(lock, plan, where, area)));
        if (live !== undefined && containers !== undefined) outcomes[plan] = { live, containers };
      }
      keepMeasurements(root, { ...keptMeasurements(root), [lock]: outcomes });
    }
  } finally {
    rmSync(area, { recursive: true });
  }
}
const { path, text } = libraryDocument(root);
writeFileSync(join(root, path), text);

/** Runs a scenario a few times. */
async function rateOf(lock: string, plan: string, backend: (typeof MEASURED_ON)[number], area: string): Promise<Rate> {
  const rate = { invalid: 0, valid: 0, unknown: 0 };
  for (let time = 1; time <= TIMES; time += 1) {
    await step(`${plan} with ${lock} on ${backend}, run ${time}`, async () => {
      rate[await trySide({ plan, property: "lease-exclusion" }, { lock }, { root, area, backend })] += 1;
    });
  }
  return rate;
}
