import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ListedRun } from "../../../reports/html/store-listing.ts";
import { summaryOf } from "../../run/recorded-runs.ts";

/** The first line of a history is short; no more of it is read, and mostly less is needed. */
const HEADER_BYTES = [2048, 65_536] as const;
/** A verdict older than this is not rewritten any more: its causes are proven, and its report is drawn. */
const SETTLED_MS = 60_000;

const headerSchema = z.looseObject({ title: z.string().optional(), backend: z.string().optional() });

/**
 * A run as the page of a store lists it.
 * @throws Error with the reason, when the folder holds none
 */
export function listedRun(store: string, name: string): ListedRun {
  const path = join(store, "runs", name);
  const { violated: _, ...summary } = summaryOf(path);
  const header = headerOf(join(path, "history.jsonl"));
  return {
    ...summary,
    folder: `runs/${name}`,
    began: name.replace(/^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d).*$/, "$1 $2:$3:$4"),
    title: header.title ?? summary.lock,
    backend: header.backend ?? "unknown backend",
    hasReport: readdirSync(path).includes("report.html"),
  };
}

/** Whether nothing of a run will change any more. */
export function isSettled(store: string, { folder, verdict }: ListedRun): boolean {
  if (verdict === "unfinished") return false;
  return Date.now() - statSync(join(store, folder, "verdict.json")).mtimeMs > SETTLED_MS;
}

/** The first line of a history, as far as it says something of the run. */
function headerOf(path: string): z.infer<typeof headerSchema> {
  try {
    const file = openSync(path, "r");
    try {
      for (const most of HEADER_BYTES) {
        const bytes = Buffer.allocUnsafe(most);
        const read = bytes.toString("utf8", 0, readSync(file, bytes, 0, most, 0));
        const end = read.indexOf("\n");
        if (end >= 0) return headerSchema.parse(JSON.parse(read.slice(0, end)));
      }
      return {};
    } finally {
      closeSync(file);
    }
  } catch {
    // The plan still says what was run.
    return {};
  }
}
