import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { PROPERTIES, type Property } from "../core/verdict.ts";
import { readTextFile } from "../run/input-file.ts";

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
  readonly traceHash?: string;
  readonly verdict?: "valid" | "invalid" | "unknown";
  /** The properties that decided. */
  readonly required?: readonly Property[];
  /** Causes of its violations, without duplicates, in alphabetical order. */
  readonly causes: readonly string[];
}

/** Reads the files beside a plan; a missing or broken file contributes nothing. */
export function previousRun(planFile: string): PreviousRun {
  const folder = dirname(planFile);
  const trace = read(join(folder, "trace.json"), traceSchema);
  const verdict = read(join(folder, "verdict.json"), verdictSchema);
  const causes = Object.values(verdict?.properties ?? {}).flatMap(({ violations }) =>
    violations.map(({ cause }) => cause),
  );
  return {
    ...(trace === undefined ? {} : { traceHash: trace.hash }),
    ...(verdict === undefined ? {} : { verdict: verdict.verdict }),
    ...(verdict?.required === undefined ? {} : { required: verdict.required }),
    causes: [...new Set(causes)].toSorted(),
  };
}

function read<T>(path: string, schema: z.ZodType<T>): T | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return schema.safeParse(JSON.parse(readTextFile(path))).data;
  } catch {
    return undefined;
  }
}
