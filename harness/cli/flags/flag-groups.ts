/** The groups in which the help lists flags, in this order, and the flags of each, for all commands together. */
const GROUPS = {
  "What is tested": [
    "lock",
    "ladder",
    "all",
    "topology",
    "persistence",
    "faults",
    "control",
    "no-faults",
    "fault",
    "plan",
  ],
  "What is measured": ["only", "resource", "minutes"],
  "How far it searches": [
    "runs",
    "complete",
    "budget",
    "shrink-runs",
    "deviations",
    "clients",
    "sections",
    "resolution",
    "no-reduction",
    "keep-going",
    "confirm",
  ],
  "How it is judged": ["require", "property", "model", "observe-contention", "margin"],
  "Seed, shards and comparison": ["seed", "path", "shard", "exit-zero", "resume", "former"],
  "Where it runs": ["backend", "threads", "server", "with", "port", "proxy-port", "no-prompt"],
  "What is read and written": [
    "list",
    "markdown",
    "format",
    "report",
    "store",
    "live",
    "static",
    "write-edn",
    "record",
    "last",
    "verdict",
    "older-than",
    "delete",
    "json",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Every flag that has a group. */
export const GROUPED_FLAGS: readonly string[] = Object.values(GROUPS).flat();

/** The flags under the headings of their groups; what has no group comes last. */
export function grouped(flags: readonly string[]): readonly (readonly [heading: string, flags: readonly string[]])[] {
  const rest = flags.filter((flag) => !GROUPED_FLAGS.includes(flag));
  const groups = Object.entries(GROUPS).map(
    ([heading, names]) => [heading, names.filter((name) => flags.includes(name))] as const,
  );
  return [...groups, ["Further flags", rest] as const].filter(([, names]) => names.length > 0);
}
