// First: libraries keep functions of the platform when they are loaded.
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { expect, it } from "vitest";
import { type PlanInput, planSchema } from "../core/plan.ts";
import { PROPERTIES, type Violation } from "../core/verdict.ts";

type Section = PlanInput["clients"][number]["sections"][number];

async function lossOf(lock: string, section: Section, atMs: number): Promise<Violation | undefined> {
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock,
    topology: { kind: "single" },
    clients: [{ sections: [section] }, { sections: [{ ...section, after: { atMs } }] }],
    faults: [],
  });
  const run = await proveSimulated(await runSimulated(plan, { title: "", required: PROPERTIES }));
  return run.record.verdict.properties.linearizability?.violations[0];
}

const TAKEN = "took the lock from its holder while it tried to acquire it";

it("names a client that took the lock by a try that was not granted", async () => {
  const steps: Section["steps"] = [{ do: "hold", forMs: 100 }];
  const section: Section = { key: "k1", alsoKeys: ["k2"], ttlMs: 3000, waitMs: 900, steps };
  const violation = await lossOf("several-undo-all", section, 90);
  expect(violation).toMatchObject({
    cause: "lost-early",
    proof: { standing: "proven", run: { change: { kind: "without-operation", f: "acquire", client: 1, ordinal: 1 } } },
  });
  expect(violation?.explanation).toContain(`client-1 ${TAKEN}`);
  expect(violation?.explanation).toContain(
    "If client-1 does not ask for the lock, client-0 still holds it when it releases it.",
  );
});

it("names none where the lock ended the lease by itself", async () => {
  const section: Section = { key: "k1", ttlMs: 1900, waitMs: 0, steps: [{ do: "hold", forMs: 1800 }] };
  const violation = await lossOf("ttl-in-seconds", section, 500);
  expect(violation?.cause).toBe("lost-early");
  expect(violation?.explanation).not.toContain(TAKEN);
});
