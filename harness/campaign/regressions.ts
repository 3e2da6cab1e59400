import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Plan } from "../core/plan.ts";
import { UserError } from "../core/errors.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import { makeFolder, replaceFile } from "../run/output-file.ts";
import { readPlan } from "../run/store.ts";

/**
 * Plans that broke a lock, in `<store>/regressions`, one file each, named after the lock and the plan's content, so
 * that the same plan is kept once. They run first in the next hunt for that lock on that topology.
 */
export class Regressions {
  readonly folder: string;

  constructor(store: string) {
    this.folder = join(store, "regressions");
  }

  /** Keeps a plan, and returns the path of its file. */
  keep(plan: Plan): string {
    makeFolder(this.folder);
    const text = `${JSON.stringify(plan, undefined, 2)}\n`;
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 12);
    const path = join(this.folder, `${nameOf(plan.lock)}-${plan.topology.kind}-${digest}.json`);
    replaceFile(path, text);
    return path;
  }

  /**
   * The plans kept for a lock on a topology, in the order of their file names.
   * @throws UserError for a broken file
   */
  of(lock: string, topology: TopologyKind): readonly Plan[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .filter((name) => name.endsWith(".json"))
      .toSorted()
      .map((name) => readSaved(join(this.folder, name)))
      .filter((plan) => plan.lock === lock && plan.topology.kind === topology);
  }
}

function readSaved(path: string): Plan {
  try {
    return readPlan(path);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const hint = "restore that file or delete it: hunts run the plans in this folder first";
    throw new UserError(error.message, hint, { cause: error });
  }
}

/** A lock's name, or the path of its driver, as part of a file's name. */
function nameOf(lock: string): string {
  return lock.replaceAll(/[^\w-]+/g, "-").replaceAll(/^-+|-+$/g, "");
}
