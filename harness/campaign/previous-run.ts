import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Backend, BACKENDS } from "../core/topologies/backend.ts";
import { PROPERTIES, type Property } from "../core/verdict.ts";
import { readTextFile } from "../run/input-file.ts";

const headerSchema = z.looseObject({ backend: z.enum(BACKENDS) });
const traceSchema = z.object({ hash: z.string() });
const verdictSchema = z.looseObject({
  verdict: z.enum(["valid", "invalid", "unknown"]),
  required: z.array(z.enum(PROPERTIES)).optional().catch(undefined),
  properties: z.record(
    z.string(),
    z.looseObject({ violations: z.array(z.looseObject({ cause: z.string() })).default([]) }),
  ),
});

/** What is known about the run that a saved plan comes from. */
export interface PreviousRun {
  /** The trace hash, if it ran in simulation. */
  readonly traceHash?: string | undefined;
  /** The backend that the first line of its history names. */
  readonly backend?: Backend | undefined;
  readonly verdict?: "valid" | "invalid" | "unknown" | undefined;
  /** The properties that decided. */
  readonly required?: readonly Property[] | undefined;
  /** Causes of its violations, without duplicates, in alphabetical order. */
  readonly causes: readonly string[];
}

/** Reads the files beside a plan; a missing or broken file contributes nothing. */
export function previousRun(planFile: string): PreviousRun {
  const folder = dirname(planFile);
  const trace = read(join(folder, "trace.json"), traceSchema);
  const verdict = read(join(folder, "verdict.json"), verdictSchema);
  const header = read(join(folder, "history.jsonl"), headerSchema, firstLine);
  const causes = Object.values(verdict?.properties ?? {}).flatMap(({ violations }) =>
    violations.map(({ cause }) => cause),
  );
  return {
    traceHash: trace?.hash,
    backend: header?.backend,
    verdict: verdict?.verdict,
    required: verdict?.required,
    causes: [...new Set(causes)].toSorted(),
  };
}

function read<T>(path: string, schema: z.ZodType<T>, textOf = readTextFile): T | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return schema.safeParse(JSON.parse(textOf(path))).data;
  } catch {
    return undefined;
  }
}

/** The first line of a history is short; the rest may be long. */
const FIRST_BYTES = 65_536;

function firstLine(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(FIRST_BYTES);
    const text = bytes.toString("utf8", 0, readSync(file, bytes, 0, FIRST_BYTES, 0));
    return text.split("\n")[0] ?? "";
  } finally {
    closeSync(file);
  }
}
