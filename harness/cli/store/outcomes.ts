import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ListedOutcome } from "../../../reports/html/store-listing.ts";
import type { Summary } from "../../../reports/campaign/summary.ts";
import { mendOfWriting, systemReason } from "../../core/system-reason.ts";
import { UserError } from "../../core/errors.ts";
import { findCommit } from "../flags/commit.ts";

/** What each finished campaign came to, a line each: its report is written again by the next one, this stays. */
const FILE = "outcomes.jsonl";

const outcomeSchema: z.ZodType<ListedOutcome> = z.object({
  name: z.string(),
  at: z.string(),
  commit: z.string().optional(),
  cells: z.array(
    z.object({
      lock: z.string(),
      fault: z.string(),
      found: z.string(),
      runs: z.number().optional(),
    }),
  ),
});

/**
 * Records what a campaign came to, and at which commit.
 * @throws UserError when it cannot be written
 */
export function recordOutcome(store: string, name: string, { cells }: Summary): void {
  const outcome: ListedOutcome = {
    name,
    at: new Date().toISOString().slice(0, 19).replace("T", " "),
    ...commitNow(),
    cells: cells.map(({ lock, fault, found, runs }) => ({
      lock,
      fault,
      found,
      ...(runs === undefined ? {} : { runs }),
    })),
  };
  const path = join(store, FILE);
  try {
    appendFileSync(path, `${JSON.stringify(outcome)}\n`);
  } catch (error) {
    throw new UserError(`${path} cannot be written: ${systemReason(error)}`, mendOfWriting(error), {
      cause: error,
    });
  }
}

function commitNow(): { readonly commit?: string } {
  const commit = findCommit();
  return commit === undefined ? {} : { commit };
}

/** What the campaigns of a store came to, the oldest first. Lines that are torn or not understood are left out. */
export function readOutcomes(store: string): readonly ListedOutcome[] {
  const path = join(store, FILE);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      const parsed = outcomeSchema.safeParse(asJson(line));
      return parsed.success ? [parsed.data] : [];
    });
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
