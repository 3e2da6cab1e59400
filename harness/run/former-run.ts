import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

const traceSchema = z.object({ hash: z.string() });
const verdictSchema = z.looseObject({
  verdict: z.enum(["valid", "invalid", "unknown"]),
  properties: z.record(
    z.string(),
    z.looseObject({ violations: z.array(z.looseObject({ cause: z.string() })).default([]) }),
  ),
});

/** What is known of the run that a saved plan comes from. */
export interface FormerRun {
  /** The trace's hash, if it ran in simulation. */
  readonly traceHash?: string;
  readonly verdict?: "valid" | "invalid" | "unknown";
  /** Causes of its violations, without repetition, in alphabetical order. */
  readonly causes: readonly string[];
}

/** Reads what lies beside a plan; files that are missing or broken say nothing. */
export function formerRun(planFile: string): FormerRun {
  const folder = dirname(planFile);
  const trace = read(join(folder, "trace.json"), traceSchema);
  const verdict = read(join(folder, "verdict.json"), verdictSchema);
  const causes = Object.values(verdict?.properties ?? {}).flatMap(({ violations }) =>
    violations.map(({ cause }) => cause),
  );
  return {
    ...(trace === undefined ? {} : { traceHash: trace.hash }),
    ...(verdict === undefined ? {} : { verdict: verdict.verdict }),
    causes: [...new Set(causes)].toSorted(),
  };
}

function read<T>(path: string, schema: z.ZodType<T>): T | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return schema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data;
  } catch {
    return undefined;
  }
}
