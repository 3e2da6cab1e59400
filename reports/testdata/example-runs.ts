import type { Property, PropertyVerdict, Verdict, Violation } from "../../harness/core/verdict.ts";
import { planSchema, type Plan, type PlanInput } from "../../harness/core/plan.ts";
import type { RunRecord } from "../run/run-record.ts";
import { HistoryBuilder } from "./history-builder.ts";

const OWNERS = ["9f2c51d0aa3be4417c88", "71be02f6c3d9a85e1104", "c04d9e7713a2f5b86692"] as const;

/** A plan with the given facts, for reports that show one. */
function plan(input: Partial<PlanInput>): Plan {
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 42,
    lock: "single",
    topology: { kind: "single" },
    clients: [{ sections: [] }, { sections: [] }],
    faults: [],
    ...input,
  });
}

function verdict(
  word: Verdict["verdict"],
  properties: Partial<Record<Property, PropertyVerdict>>,
  more: Partial<Verdict> = {},
): Verdict {
  const required = Object.keys(properties) as Property[];
  return { verdict: word, required, properties, reasons: [], remarks: [], ...more };
}

const holds: PropertyVerdict = { verdict: "valid", violations: [] };

/** A real promotion loses the grant of client-0; client-1 is granted the same lock while client-0 holds. */
export function lostInFailover(): RunRecord {
  const h = new HistoryBuilder({ clients: 2, lock: "single", seed: 42, topology: "sentinel", backend: "containers" });
  const cut = h.fault(
    104.2,
    "partition",
    ["node-0", "node-1", "node-2"],
    "node-0 -> node-1: PING from node-0 timed out after 400 ms; node-0 -> node-2: PING from node-0 timed out after 400 ms",
  );
  h.tries(0, 120, 10_000);
  const first = h.granted(0, 121.4, { owner: OWNERS[0], validForMs: 9998 });
  h.writes(0, 124, { owner: OWNERS[0], data: "p0-1" });
  h.tries(1, 130, 10_000);
  h.refused(1, 131.1);
  h.fault(180.9, "kill-node", ["node-0"], "pid 11 is gone, port 6379 refuses connections");
  const promotion = h.fault(3412, "promotion", ["node-1"], "ROLE of node-1 says master");
  h.tries(1, 3440, 10_000);
  const second = h.granted(1, 3443.7, { owner: OWNERS[1], validForMs: 9997 });
  h.writes(1, 3450, { owner: OWNERS[1], data: "p1-1" }, { position: 2 });
  h.writes(0, 3700, { owner: OWNERS[0], data: "p0-2" }, { position: 3 });
  const end = h.releases(1, 3920, OWNERS[1]);
  h.releases(0, 4210.5, OWNERS[0], false, 3);
  h.heal(4400, "kill-node", ["node-0"], "node-0 answers PING");
  h.heal(4420, "partition", ["node-0", "node-1", "node-2"], "PING passes again on 4 edges");
  const broken: PropertyVerdict = {
    verdict: "invalid",
    violations: [
      {
        events: [cut, first, promotion, second, end],
        cause: "lost-in-failover",
        holders: [
          { process: 0, owner: OWNERS[0] },
          { process: 1, owner: OWNERS[1] },
        ],
        overlap: { from: 3_443_700_000, to: 3_920_000_000 },
        fault: promotion,
        explanation:
          "client-0 was granted k1 by node-0 and its lease had 6.7 s left when Sentinel promoted node-1, which had never received the key: replication is asynchronous, and the link from node-0 was cut before the grant. node-1 granted k1 to client-1. For 476 ms both held the lock, each with a lease in force.",
      },
    ],
  };
  return {
    title: "async-failover",
    plan: plan({
      topology: { kind: "sentinel" },
      faults: [
        { kind: "partition", params: { between: [["masters"], ["replicas"]] }, at: { atMs: 100 } },
        { kind: "kill-node", params: { targets: ["node-0"] }, at: { on: "acquire:ok" } },
      ],
    }),
    history: h.build(),
    verdict: verdict(
      "invalid",
      {
        "mutual-exclusion": broken,
        "lease-exclusion": broken,
        "fencing-tokens": { verdict: "not-applicable", violations: [], reason: "no grant carries a fencing token" },
        "stale-writes": { verdict: "not-applicable", violations: [], reason: "no write carries a fencing token" },
        "owner-release": holds,
        "deadlock-freedom": holds,
      },
      { remarks: ["client-0's release found nothing to release: its key was gone."] },
    ),
    replayCommand: "npx lockstorm replay .lockstorm/runs/2026-01-12T10-11-12-42/plan.json --backend containers",
  };
}

/** A holder is paused past the end of its lease, with fencing: the stale write is refused. */
export function pausedPastLease(): RunRecord {
  const h = new HistoryBuilder({ clients: 2, lock: "fenced", seed: 7, topology: "single", backend: "simulated" });
  h.tries(0, 1.2, 1000);
  const first = h.granted(0, 1.5, { owner: OWNERS[0], fence: 33, validForMs: 998 });
  h.writes(0, 2, { owner: OWNERS[0], fence: 33, data: "p0-1" });
  const pause = h.fault(10, "pause-client", ["client-0"], "state T in /proc/4711/stat", { processes: [0] });
  h.tries(1, 20, 1000);
  h.refused(1, 20.4);
  h.tries(1, 1005, 1000);
  const second = h.granted(1, 1005.6, { owner: OWNERS[1], fence: 34, validForMs: 998 });
  h.writes(1, 1010, { owner: OWNERS[1], fence: 34, data: "p1-1" }, { position: 2 });
  const end = h.releases(1, 1210, OWNERS[1]);
  h.heal(6000, "pause-client", ["client-0"], "state S in /proc/4711/stat");
  h.writes(0, 6001, { owner: OWNERS[0], fence: 33, data: "p0-2" }, { accepted: false, position: 2 });
  h.releases(0, 6004, OWNERS[0], false);
  return {
    title: "pause-past-lease",
    history: h.build(),
    verdict: verdict(
      "invalid",
      {
        "mutual-exclusion": {
          verdict: "invalid",
          violations: [
            {
              events: [first, pause, second, end],
              cause: "overrun",
              holders: [
                { process: 0, owner: OWNERS[0], fence: 33 },
                { process: 1, owner: OWNERS[1], fence: 34 },
              ],
              overlap: { from: 1_005_600_000, to: 1_210_000_000 },
              fault: pause,
              explanation:
                "client-0 was granted k1 for 1 s, was paused after 8.5 ms and went on 5 s after its lease had ended. By then k1 had expired, as it must, and client-1 had been granted it. The lock did nothing wrong: client-0 outlived its lease. Only a fencing token that the resource checks helps against this.",
            },
          ],
        },
        "lease-exclusion": holds,
        "fencing-tokens": holds,
        "stale-writes": holds,
        "owner-release": holds,
      },
      {
        required: ["lease-exclusion", "fencing-tokens", "stale-writes", "owner-release"],
        margins: { smallestValidityLeft: { nanoseconds: -5_004_500_000, events: [19] } },
        remarks: ["The stale write p0-2 of client-0 (fencing token 33) was attempted, and the resource refused it: it had seen 34."],
      },
    ),
    replayCommand: "npx lockstorm replay .lockstorm/runs/x/plan.json",
  };
}

/** One of five nodes jumps ahead, and the majority is lost. */
export function jumpOfOneInFive(): RunRecord {
  const h = new HistoryBuilder({ clients: 3, lock: "redlock", seed: 5, topology: "redlock" });
  const others = ["client-0", "node-3", "node-4"];
  h.fault(5, "partition", others, "2 edges cut", { processes: [0] });
  h.tries(0, 10, 10_000);
  const first = h.granted(0, 62, { owner: OWNERS[0], validForMs: 9848 });
  const jump = h.fault(100, "clock-jump", ["node-2"], "PTTL 9960 became -2; TIME moved by 10000 ms", {
    byMs: 10_000,
  });
  h.heal(110, "partition", others, "2 edges pass again");
  h.fault(115, "partition", ["client-1", "node-0", "node-1"], "2 edges cut", { processes: [1] });
  h.tries(2, 118, 10_000);
  h.tries(1, 120, 10_000);
  const second = h.granted(1, 171, { owner: OWNERS[1], validForMs: 9849 });
  h.refused(2, 172);
  const end = h.releases(0, 400, OWNERS[0], true, 2);
  h.releases(1, 450, OWNERS[1], true, 2);
  h.heal(460, "partition", ["client-1", "node-0", "node-1"], "2 edges pass again");
  const broken: PropertyVerdict = {
    verdict: "invalid",
    violations: [
      {
        events: [first, jump, second, end],
        cause: "clock-jump",
        holders: [
          { process: 0, owner: OWNERS[0] },
          { process: 1, owner: OWNERS[1] },
        ],
        overlap: { from: 171e6, to: 400e6 },
        fault: jump,
        explanation: "client-0 held k1 on node-0, node-1 and node-2. The clock of node-2 jumped by 10 s, so that its key expired at once, and client-1 took node-2, node-3 and node-4: two majorities that share one node.",
      },
    ],
  };
  return {
    title: "node-clock-jump",
    plan: plan({
      lock: "redlock",
      topology: { kind: "redlock" },
      clients: [{ sections: [] }, { sections: [] }, { sections: [] }],
      faults: [{ kind: "clock-jump", params: { targets: ["node-2"], byMs: 10_000 }, at: { atMs: 100 } }],
    }),
    history: h.build(),
    verdict: verdict("invalid", { "mutual-exclusion": broken, "lease-exclusion": broken }),
  };
}

/** Clients that take turns, without a fault. */
export function takingTurns(sections = 7): RunRecord {
  const h = new HistoryBuilder({ clients: 3, lock: "single", seed: 11, topology: "single" });
  for (let round = 0; round < sections; round += 1) {
    const start = 5 + round * 40;
    const owner = `${OWNERS[round % 3]}-${round}`;
    const process = round % 3;
    h.tries(process, start, 1000);
    h.granted(process, start + 0.7, { owner, validForMs: 998 });
    h.tries((process + 1) % 3, start + 5, 1000);
    h.refused((process + 1) % 3, start + 5.5);
    h.writes(process, start + 12, { owner, data: `p${process}-${round}` }, { position: round + 1 });
    h.releases(process, start + 30, owner);
  }
  return {
    title: "three clients in turn",
    history: h.build(),
    verdict: verdict("valid", { "mutual-exclusion": holds, "lease-exclusion": holds, "owner-release": holds }),
    replayCommand: "npx lockstorm replay plan.json",
  };
}

/** A fault that never took effect: nothing was proven. */
export function faultWithoutEffect(): RunRecord {
  const h = new HistoryBuilder({ clients: 2, lock: "single", seed: 3, topology: "single" });
  h.fault(5, "partition", ["client-0", "node-0"], "PING still passes", { outcome: "indeterminate", processes: [0] });
  h.tries(0, 10, 1000);
  h.granted(0, 11, { owner: OWNERS[0] });
  h.releases(0, 60, OWNERS[0]);
  h.fault(80, "kill-node", [], "its trigger never happened", { outcome: "skipped" });
  const reason = "the search ran out of its budget of 100000 states";
  return {
    history: h.build(),
    verdict: verdict(
      "unknown",
      { "mutual-exclusion": holds, linearizability: { verdict: "unknown", violations: [], reason } },
      {
        reasons: [
          "partition on client-0 and node-0 was not seen to take effect (PING still passes), so that its part of the run proves nothing",
          "no lock was ever contended",
        ],
      },
    ),
  };
}

/** A client is notified that its lease is lost, goes on, and is refused; one client releases another client's hold. */
export function releaseAfterLoss(): RunRecord {
  const h = new HistoryBuilder({ clients: 3, lock: "set-px", topology: "single" });
  h.tries(0, 1, 300);
  h.granted(0, 2, { owner: OWNERS[0] });
  h.fault(20, "pause-client", ["client-0"], "state T", { processes: [0] });
  h.tries(1, 310, 300);
  const second = h.granted(1, 311, { owner: OWNERS[1] });
  h.heal(400, "pause-client", ["client-0"], "state S");
  h.at(401, { process: 0, type: "lost", f: "lease", key: "k1", value: { owner: OWNERS[0] } });
  const foreign = h.at(402, { process: 0, type: "invoke", f: "release", key: "k1", value: { owner: OWNERS[0] } });
  const done = h.at(403, { process: 0, type: "ok", f: "release", key: "k1", value: { released: true } });
  h.tries(2, 404, 300);
  const third = h.granted(2, 405, { owner: OWNERS[2] });
  h.releases(1, 500, OWNERS[1]);
  h.releases(2, 520, OWNERS[2]);
  return {
    title: "plain-del",
    history: h.build(),
    verdict: verdict("invalid", {
      "mutual-exclusion": {
        verdict: "invalid",
        violations: [
          {
            events: [second, done, third],
            cause: "foreign-release",
            holders: [
              { process: 1, owner: OWNERS[1] },
              { process: 2, owner: OWNERS[2] },
            ],
            overlap: { from: 405e6, to: 500e6 },
            explanation: "client-0 deleted the key that client-1 held, and client-2 was granted the lock while client-1 still held it.",
          },
        ],
      },
      "owner-release": {
        verdict: "invalid",
        violations: [
          {
            events: [second, foreign, done],
            cause: "foreign-release",
            explanation: "client-0's release, after it had been told that its lease was gone, reports success within client-1's hold: it took what was not its own.",
          },
        ],
      },
    }),
  };
}

/** Two tasks of client-0 hold a key at the same time, while a fault that hits the client hits both. */
export function twoTasksHold(): RunRecord {
  const h = new HistoryBuilder({ clients: 2, tasks: [2, 1], lock: "owner-value-in-field", topology: "single" });
  h.tries(0, 1, 1000);
  const first = h.granted(0, 2, { owner: OWNERS[0] });
  h.tries(2, 3, 1000);
  const second = h.granted(2, 4, { owner: OWNERS[1] });
  h.fault(10, "pause-client", ["client-0"], "state T", { processes: [0, 2] });
  h.heal(30, "pause-client", ["client-0"], "state S");
  h.releases(0, 60, OWNERS[0]);
  h.releases(2, 80, OWNERS[1]);
  h.tries(1, 90, 1000);
  h.granted(1, 91, { owner: OWNERS[2] });
  h.releases(1, 92, OWNERS[2]);
  const overlap: Violation = {
    events: [first, second],
    cause: "double-grant",
    holders: [
      { process: 0, owner: OWNERS[0] },
      { process: 2, owner: OWNERS[1] },
    ],
    overlap: { from: 4e6, to: 60e6 },
    explanation: "Two tasks of client-0 held k1 at the same time for 56 ms.",
  };
  return {
    history: h.build(),
    verdict: verdict("invalid", { "mutual-exclusion": { verdict: "invalid", violations: [overlap] } }),
  };
}

export const EXAMPLE_RUNS = {
  lostInFailover,
  pausedPastLease,
  jumpOfOneInFive,
  takingTurns,
  faultWithoutEffect,
  releaseAfterLoss,
  twoTasksHold,
} as const;
