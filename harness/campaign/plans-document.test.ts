import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { planSchema } from "../core/plan.ts";
import { messageTriggersOf } from "../core/messages/plan-triggers.ts";
import { MESSAGE_MOMENTS, PROXY_MOMENTS } from "../core/trigger.ts";
import { runSimulated } from "./run-simulated.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/plans.md", import.meta.url)), "utf8");
const examples = [...page.matchAll(/^```json plan=(?<verdict>\S+)\n(?<text>[\s\S]*?)^```$/gm)].map(({ groups }) => ({
  verdict: groups?.["verdict"],
  plan: planSchema.parse(JSON.parse(groups?.["text"] ?? "")),
}));

test.each(examples)("an example with $plan.lock on $plan.topology.kind is $verdict", async ({ verdict, plan }) => {
  expect(messageTriggersOf(plan).length).toBeGreaterThan(0);
  const { record } = await runSimulated(plan, { title: "", required: ["mutual-exclusion"] });
  expect(record.verdict.reasons).toEqual([]);
  expect(record.verdict.verdict).toBe(verdict);
  const faults = record.history.events.filter((event) => event.type === "fault");
  expect(faults.map(({ value }) => value.outcome)).not.toContain("skipped");
});

test("the page has a row for each moment, and says where it can be met", () => {
  expect(examples.length).toBe(3);
  for (const moment of MESSAGE_MOMENTS) {
    const where = PROXY_MOMENTS.includes(moment) ? "proxies and simulation" : "simulation";
    expect(page).toMatch(new RegExp(`^\\| \`${moment}\` \\|.*\\| ${where} \\|$`, "m"));
  }
});
