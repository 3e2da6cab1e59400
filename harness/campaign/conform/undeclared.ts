import { SUPPORT_WORDS, type Supports } from "../../core/sharing.ts";

const LOCKS_THAT_HAVE_IT: Readonly<Record<keyof Supports, string>> = {
  permits: "is a semaphore",
  modes: "is a read-write lock",
  severalKeys: "takes several keys in one acquisition",
  concurrent: "object may be used by several requests of a process at the same time",
  fair: "serves waiting clients first come, first served",
};

/** Why a check is skipped of what a driver or a worker does not declare, and what to do if its lock has that. */
export function undeclared(what: keyof Supports, by: "driver" | "worker"): string {
  const entry = by === "driver" ? `supports: { ${what}: true }` : `"supports": {"${what}": true}`;
  return `the ${by} does not declare ${SUPPORT_WORDS[what]}: if the lock ${LOCKS_THAT_HAVE_IT[what]}, add ${entry} to the ${by}`;
}
