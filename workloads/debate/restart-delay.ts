import type { Frequency, MeasuredCell } from "../../harness/core/measurement.ts";
import type { Random } from "../../harness/core/random.ts";
import { splitMajorities } from "./clock-jump.ts";
import { type DrawnPlan, drawn, type Experiment, pairs } from "./experiment.ts";
import { alwaysBroken, brokenIn, inRows, violatedWords, neverBroken } from "./numbers.ts";
import { faultsTookEffect, granted } from "./observations.ts";

const TTL_MS = 2000;
/** How long the node stays away, as shares of the lease. */
const DELAYS = [0.5, 0.75, 0.9, 1.1, 1.5, 2] as const;
/** More than any lease: what `redlock-delayed-restart` waits for. */
const JUMP_MS = 2 * TTL_MS;

interface Setting {
  readonly lock: "redlock" | "redlock-delayed-restart" | "redlock-fsync";
  readonly persistence: "none" | "everysec" | "always";
  readonly powerLoss: boolean;
  /** Whether its clock is ahead when it comes back. */
  readonly jump: boolean;
  /**
   * Whether it grants the lock again while a lease is still in force, if it comes back before the end of that lease.
   */
  readonly forgets: boolean;
}

const SETTINGS: readonly Setting[] = [
  { lock: "redlock", persistence: "none", powerLoss: false, jump: false, forgets: true },
  { lock: "redlock", persistence: "none", powerLoss: false, jump: true, forgets: true },
  { lock: "redlock", persistence: "everysec", powerLoss: false, jump: false, forgets: false },
  { lock: "redlock", persistence: "everysec", powerLoss: true, jump: false, forgets: true },
  { lock: "redlock-fsync", persistence: "always", powerLoss: false, jump: false, forgets: false },
  { lock: "redlock-fsync", persistence: "always", powerLoss: true, jump: false, forgets: false },
  { lock: "redlock-fsync", persistence: "always", powerLoss: false, jump: true, forgets: true },
  { lock: "redlock-fsync", persistence: "always", powerLoss: true, jump: true, forgets: true },
  { lock: "redlock-delayed-restart", persistence: "none", powerLoss: false, jump: false, forgets: false },
  { lock: "redlock-delayed-restart", persistence: "everysec", powerLoss: true, jump: false, forgets: false },
  { lock: "redlock-delayed-restart", persistence: "none", powerLoss: false, jump: true, forgets: true },
  { lock: "redlock-delayed-restart", persistence: "everysec", powerLoss: true, jump: true, forgets: true },
];

const bare = SETTINGS.filter(({ forgets, jump, lock }) => forgets && !jump && lock === "redlock");
const mitigated = SETTINGS.filter(({ lock, jump }) => lock !== "redlock" && !jump);
const mitigatedWithJump = SETTINGS.filter(({ lock, jump }) => lock !== "redlock" && jump);

/** One node of the majority crashes and comes back. The parameters are what it remembers and how long it stays away. */
export const restartDelay: Experiment = {
  id: "restart-delay",
  question:
    "Does a node that restarts late, or one that syncs its disk, keep Redlock's leases, and does that depend on clocks?",
  says: {
    kleppmann:
      "A node that crashes and comes back forgets its locks; having it stay away for longer than the lease prevents that only if the delay is measured by a clock that can be trusted.",
    antirez:
      "A node that stays away for longer than the longest lease is safe without any disk; or it syncs each write, and needs no delay.",
  },
  rowAxis: "lock, disk, crash",
  columnAxis: "how long the node is away, in leases",
  counts: ["lease-exclusion"],
  cells: () =>
    pairs(SETTINGS, DELAYS).map(([setting, share]) => ({
      row: rowName(setting),
      column: String(share),
      x: share,
      expected: { "lease-exclusion": expectedOf(setting, share) },
      plans: drawn((random) => plan(setting, share, random)),
    })),
  met: (history) => granted(history, 0, 1) && faultsTookEffect(history),
  predictions: [
    {
      by: "kleppmann",
      claim: "a node that forgets its locks and is back within the lease gives them away again",
      holds: (cells) => alwaysBroken(within(rowsOf(cells, bare)), "lease-exclusion"),
      expected: true,
    },
    {
      by: "antirez",
      claim: "a node that is away for longer than the lease does no harm, even without a disk",
      holds: (cells) => neverBroken(beyond(rowsOf(cells, SETTINGS)), "lease-exclusion"),
      expected: true,
    },
    {
      by: "antirez",
      claim: "syncing each write, or refusing nodes that are not up for long enough, is safe at once",
      holds: (cells) => neverBroken(rowsOf(cells, mitigated), "lease-exclusion"),
      expected: true,
    },
    {
      by: "kleppmann",
      claim: "both mitigations depend on the node's clock",
      holds: (cells) => alwaysBroken(within(rowsOf(cells, mitigatedWithJump)), "lease-exclusion"),
      expected: true,
    },
  ],
  conclude: (cells) =>
    `Leases overlapped in ${violatedWords(within(rowsOf(cells, bare)), "lease-exclusion")} where the node had forgotten and was back within the lease, ` +
    `in ${violatedWords(beyond(cells), "lease-exclusion")} where it stayed away for longer; ` +
    `with either mitigation in ${violatedWords(within(rowsOf(cells, mitigated)), "lease-exclusion")} within the lease, ` +
    `but in ${violatedWords(within(rowsOf(cells, mitigatedWithJump)), "lease-exclusion")} when the node's clock came back ahead` +
    (brokenIn(beyond(cells), "lease-exclusion").length === 0 ? "." : "; staying away was not enough."),
};

function rowsOf(cells: readonly MeasuredCell[], settings: readonly Setting[]): readonly MeasuredCell[] {
  return inRows(cells, settings.map(rowName));
}

const within = (cells: readonly MeasuredCell[]): readonly MeasuredCell[] => cells.filter(({ x = 0 }) => x < 1);
const beyond = (cells: readonly MeasuredCell[]): readonly MeasuredCell[] => cells.filter(({ x = 0 }) => x > 1);

function rowName({ lock, persistence, powerLoss, jump }: Setting): string {
  const disk = persistence === "none" ? "no disk" : persistence;
  return `${lock}, ${disk}, ${powerLoss ? "power loss" : "killed"}${jump ? ", clock ahead" : ""}`;
}

function expectedOf({ forgets }: Setting, share: number): Frequency {
  return forgets && share < 1 ? "sometimes" : "never";
}

function plan({ lock, persistence, powerLoss, jump }: Setting, share: number, random: Random): DrawnPlan {
  const awayMs = Math.round(TTL_MS * share);
  const crashed = { on: "write:ok", client: 0 } as const;
  const partitions = splitMajorities();
  const node = ["node-2"];
  // The power comes back at once; to keep the node away, the plan stops it again before any client can ask it.
  const crash: readonly DrawnPlan["faults"][number][] = powerLoss
    ? [{ kind: "power-loss", params: { targets: node }, at: crashed }]
    : [];
  const away = {
    kind: "kill-node",
    params: { targets: node },
    at: powerLoss ? { on: "fault:start" as const, fault: partitions.length } : crashed,
    until: { ...crashed, afterMs: awayMs },
  };
  const back = { on: "fault:heal", fault: partitions.length + crash.length } as const;
  const jumps = jump ? [{ kind: "clock-jump", params: { targets: node, byMs: JUMP_MS }, at: back }] : [];
  return {
    lock,
    topology: { kind: "redlock", persistence },
    clients: [
      {
        sections: [
          {
            key: "k1",
            ttlMs: TTL_MS,
            waitMs: 0,
            steps: [{ do: "read" }, { do: "write" }, { do: "hold", forMs: Math.round(0.98 * TTL_MS) }],
          },
        ],
      },
      {
        sections: [
          {
            key: "k1",
            ttlMs: TTL_MS,
            waitMs: 4 * TTL_MS,
            tries: 100,
            after: { ...crashed, afterMs: random.integer(1, 100) },
            steps: [{ do: "read" }, { do: "write" }],
          },
        ],
      },
    ],
    faults: [...partitions, ...crash, away, ...jumps],
  };
}
