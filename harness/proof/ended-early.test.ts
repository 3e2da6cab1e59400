// First: libraries keep functions of the platform when they are loaded.
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { expect, it } from "vitest";
import { type PlanInput, planSchema } from "../core/plan.ts";
import { PROPERTIES } from "../core/verdict.ts";

async function explanationsOf(lock: string, holdMs: number, atMs = 20): Promise<readonly string[]> {
  const section = { key: "k1", ttlMs: 1900, waitMs: 3700 } as const;
  const clients: PlanInput["clients"] = [
    { sections: [{ ...section, steps: [{ do: "hold", forMs: holdMs }] }] },
    { sections: [{ ...section, after: { atMs }, steps: [{ do: "hold", forMs: 10 }] }] },
  ];
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock,
    topology: { kind: "single" },
    resource: { fencing: false },
    clients,
    faults: [],
    limitMs: 30_000,
  });
  const { record } = await proveSimulated(await runSimulated(plan, { title: "", required: PROPERTIES }));
  const found = record.verdict.properties["lease-exclusion"]?.violations ?? [];
  return found.map(({ cause, explanation }) => `${cause}: ${explanation}`);
}

const ENDED =
  "The lock ended the lease of client-0 before the time that it had promised, and then granted the key again";

it("tells a lease that ends early from a lock that grants twice", async () => {
  const [explanation, ...others] = await explanationsOf("ttl-in-seconds", 1800);
  expect(others).toEqual([]);
  expect(explanation).toMatch(/^double-grant: /);
  expect(explanation).toContain(`${ENDED}. If client-1 does not ask for the lock, client-0 is told within its lease`);
});

it("says that the lock granted twice if its holder still has it when nobody else asks", async () => {
  const [explanation] = await explanationsOf("get-then-set", 800, 0);
  expect(explanation).toMatch(/^double-grant: .* the lock itself granted it twice/);
});

it("shows nothing where the holder gives the lock up after its lease", async () => {
  for (const explanation of await explanationsOf("ttl-in-seconds", 1950)) expect(explanation).not.toContain(ENDED);
});
