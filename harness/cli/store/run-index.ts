import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ListedRun } from "../../../reports/html/store-listing.ts";
import { ReplacedFile } from "../../run/output-file.ts";

/** What is known of the runs of a store, so that a hundred thousand folders are not read again each time. */
const FILE = "runs.index";
const HEADER = { format: "lockstorm-runs", version: 1 };
const LINES_AT_ONCE = 10_000;

const runSchema: z.ZodType<ListedRun> = z.object({
  folder: z.string(),
  began: z.string(),
  title: z.string(),
  verdict: z.enum(["valid", "invalid", "unknown"]),
  lock: z.string(),
  topology: z.string(),
  backend: z.string(),
  seed: z.number().optional(),
  faults: z.array(z.string()),
  causes: z.array(z.string()),
  hasReport: z.boolean(),
});

/** The runs that an earlier listing read, by their folder. What is not understood is read again. */
export function readRunIndex(store: string): ReadonlyMap<string, ListedRun> {
  const known = new Map<string, ListedRun>();
  const file = join(store, FILE);
  if (!existsSync(file)) return known;
  const [first, ...lines] = readFileSync(file, "utf8").split("\n");
  if (first !== JSON.stringify(HEADER)) return known;
  for (const line of lines) {
    const parsed = runSchema.safeParse(asJson(line));
    if (parsed.success) known.set(parsed.data.folder, parsed.data);
  }
  return known;
}

/** @throws UserError when it cannot be written */
export function writeRunIndex(store: string, runs: readonly ListedRun[]): void {
  using file = new ReplacedFile(join(store, FILE));
  file.append(`${JSON.stringify(HEADER)}\n`);
  for (let from = 0; from < runs.length; from += LINES_AT_ONCE) {
    const lines = runs.slice(from, from + LINES_AT_ONCE).map((run) => `${JSON.stringify(run)}\n`);
    file.append(lines.join(""));
  }
  file.finish();
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
