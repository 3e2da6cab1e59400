import type { RunRecord } from "../run/run-record.ts";
import { HistoryBuilder } from "./history-builder.ts";

/** A run of about `events` events: clients take a lock in turn on several keys, and one violation in the middle. */
export function longRun(events: number, clients = 12): RunRecord {
  const h = new HistoryBuilder({ clients, lock: "single", seed: 1, topology: "single", backend: "simulated" });
  const rounds = Math.floor(events / 9);
  let proof: readonly number[] = [];
  let overlap = { from: 0, to: 1 };
  for (let round = 0; round < rounds; round += 1) {
    const start = round * 5;
    const [process, other] = [round % clients, (round + 1) % clients];
    const owner = `owner-${round}`;
    if (round % 500 === 100) h.fault(start, "latency", ["client-1", "node-0"], "+20 ms");
    h.tries(process, start, 1000);
    const first = h.granted(process, start + 0.5, { owner, fence: round, validForMs: 990 });
    h.tries(other, start + 1, 1000);
    if (round === Math.floor(rounds / 2)) {
      const second = h.granted(other, start + 1.4, { owner: "thief", fence: round, validForMs: 990 });
      const end = h.releases(other, start + 2, "thief", true, 0.1);
      proof = [first, second, end];
      overlap = { from: (start + 1.4) * 1e6, to: (start + 2) * 1e6 };
    } else h.refused(other, start + 1.5);
    h.writes(process, start + 2.5, { owner, fence: round, data: `w${round}` }, { position: round + 1 });
    h.releases(process, start + 4, owner, true, 0.3);
    if (round % 500 === 160) h.heal(start + 4.5, "latency", ["client-1", "node-0"], "gone");
  }
  const violation = {
    events: proof,
    cause: "double-grant" as const,
    holders: holders(rounds, clients),
    overlap,
    explanation: "The lock granted it twice.",
  };
  return {
    title: "a long run",
    history: h.build(),
    verdict: {
      verdict: "invalid",
      required: ["mutual-exclusion"],
      properties: { "mutual-exclusion": { verdict: "invalid", violations: [violation] } },
      reasons: [],
      remarks: [],
    },
  };
}

function holders(rounds: number, clients: number): readonly [{ process: number; owner: string }, { process: number; owner: string }] {
  const middle = Math.floor(rounds / 2);
  return [
    { process: middle % clients, owner: `owner-${middle}` },
    { process: (middle + 1) % clients, owner: "thief" },
  ];
}
