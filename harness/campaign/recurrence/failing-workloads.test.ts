import { expect, test } from "vitest";
import { plan, section } from "../../run/testing/plans.ts";
import { OTHER_SEEDS } from "./variations.ts";
import { failingWorkloads } from "./failing-workloads.ts";

/** Two clients on each of three keys, of which the second and the third key were granted twice. */
const wide = plan({ seed: 7, clients: ["a", "a", "b", "b", "c", "c"].map((key) => section({ key })) });
const granted = (index: number, process: number) => ({ index, process, type: "ok" }) as never;
const record = {
  history: { header: {}, events: [granted(0, 2), granted(1, 3), granted(2, 4), granted(3, 5)] },
} as never;
const violation = (first: number) => ({ events: [first, first + 1], cause: "double-grant", explanation: "" }) as const;
const verdict = {
  verdict: "invalid",
  required: ["lease-exclusion"],
  properties: { "lease-exclusion": { verdict: "invalid", violations: [violation(0), violation(2)] } },
  reasons: [],
  remarks: [],
} as const;

test("each workload that violated something is tried alone, all with one seed before the next", () => {
  const parts = [...failingWorkloads({ plan: wide, verdict, record })];
  const said = parts.map(({ seed, clients }) => `${seed} ${clients.map(({ sections }) => sections[0]?.key).join("")}`);
  expect(said.slice(0, 6)).toEqual(["7 bb", "7 cc", "8 bb", "8 cc", "9 bb", "9 cc"]);
  expect(parts).toHaveLength(2 * (1 + OTHER_SEEDS));
});

test("a plan of one workload has no smaller one", () => {
  const one = plan({ clients: [section({}), section({})] });
  expect([...failingWorkloads({ plan: one, verdict, record })]).toEqual([]);
});
