import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Property } from "../core/verdict.ts";
import { ENDLESS_TTL_MS } from "../history/holds/endless-lease.ts";
import { plan, section } from "../run/testing/plans.ts";
import { replay } from "./replay.ts";
import { freshStores } from "./testing/results.ts";

const fresh = freshStores();

/** The path of a plan whose lock is a driver that grants whatever is asked for. */
function planOfDriver(statement: string): string {
  const folder = fresh();
  mkdirSync(folder);
  const lock = join(folder, "driver.mjs");
  const client =
    "acquire: async (key) => ({ type: 'ok', value: { key, owner: String(Math.random()) } }), release: async () => ({ type: 'ok', value: { released: true } }), async [Symbol.asyncDispose]() {}";
  writeFileSync(lock, `export const driver = { ${statement} connect: async () => ({ ${client} }) };`);
  const path = join(folder, "plan.json");
  writeFileSync(path, JSON.stringify(plan({ lock, clients: [section({}), section({})] })));
  return path;
}

/** Which TTLs the history of a replay states, and what decides its verdict. */
async function replayed(
  statement: string,
  backend: "simulated" | "live",
): Promise<{ readonly ttlsMs: readonly unknown[]; readonly required: readonly Property[] }> {
  const { record } = await replay(planOfDriver(statement), { backend }, { store: fresh() });
  const asked = record.history.events.filter(({ f, type }) => f === "acquire" && type === "invoke");
  const ttlsMs = asked.map(({ value }) => (value as { readonly ttlMs?: unknown }).ttlMs);
  return { ttlsMs: [...new Set(ttlsMs)], required: record.verdict.required };
}

test.each(["simulated", "live"] as const)(
  "a plan without its run is judged, on %s, by what its driver says of leases",
  { tags: "long" },
  async (backend) => {
    const endless = await replayed("leases: false,", backend);
    expect(endless.ttlsMs).toEqual([ENDLESS_TTL_MS]);
    expect(endless.required).toContain("mutual-exclusion");
    const leased = await replayed("", backend);
    expect(leased.ttlsMs).toEqual([1000]);
    expect(leased.required).not.toContain("mutual-exclusion");
  },
);
