import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const GROUPS = "/proc/self/cgroup";
const MOUNTS = "/sys/fs/cgroup";

/**
 * How many cores this process may use. Node knows the quota of a control group by version 2 (`cpu.max`), but not always
 * that of version 1 (`cpu.cfs_quota_us`), which containers on older hosts have. At least 1.
 * Source: Linux, Documentation/admin-guide/cgroup-v1 and scheduler/sched-bwc.rst.
 */
export function usableCores(cores = availableParallelism(), read: (path: string) => string = readText): number {
  const quotas = quotaFolders(read).flatMap((folder) => quotaIn(folder, read) ?? []);
  return Math.max(1, Math.min(cores, ...quotas.map((quota) => Math.floor(quota))));
}

/** Where the quota of this process may stand: in a container the mount itself, elsewhere the group's folder in it. */
function quotaFolders(read: (path: string) => string): readonly string[] {
  const groups = read(GROUPS)
    .split("\n")
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  return groups.flatMap((group) => {
    const [, controllers = "", path = ""] = group ?? [];
    return controllers.split(",").includes("cpu")
      ? [`${MOUNTS}/${controllers}${path}`, `${MOUNTS}/${controllers}`]
      : [];
  });
}

/** The quota in cores; undefined where there is none. */
function quotaIn(folder: string, read: (path: string) => string): number | undefined {
  const quota = Number(read(`${folder}/cpu.cfs_quota_us`));
  const period = Number(read(`${folder}/cpu.cfs_period_us`));
  return quota > 0 && period > 0 ? quota / period : undefined;
}

/** The text of a file; empty where there is none: on other systems, and under version 2. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
