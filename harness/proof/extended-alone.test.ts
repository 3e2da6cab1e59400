// First: libraries keep functions of the platform when they are loaded.
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { expect, it } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import { type PlanInput, planSchema } from "../core/plan.ts";
import { PROPERTIES, type Property, type Violation } from "../core/verdict.ts";
import { CounterfactualRuns } from "./counterfactual-runs.ts";
import { tryExtension } from "./extended-alone.ts";

type Section = PlanInput["clients"][number]["sections"][number];

const LATE_EXTENSION: Section = {
  key: "k1",
  ttlMs: 1200,
  waitMs: 3700,
  steps: [
    { do: "hold", forMs: 1680 },
    { do: "extend", ttlMs: 1200 },
    { do: "hold", forMs: 840 },
  ],
};

async function violationsOf(
  property: Property,
  lock: string,
  sections: readonly Section[],
  faults: PlanInput["faults"],
): Promise<readonly Violation[]> {
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock,
    topology: { kind: "single" },
    resource: { fencing: false },
    clients: [{ sections: [LATE_EXTENSION] }, { sections }],
    faults,
    limitMs: 30_000,
  });
  const run = await proveSimulated(await runSimulated(plan, { title: "", required: PROPERTIES }));
  return run.record.verdict.properties[property]?.violations ?? [];
}

const WAITS: Section = { key: "k1", ttlMs: 1200, waitMs: 3700, after: { atMs: 20 }, steps: [] };

/** The release of client-1 is on its way when client-0 extends, and its next grant comes after that. */
const SLOW_RELEASE = {
  kind: "latency",
  params: { between: [["client-1"], ["node-0"]], oneWay: true, delayMs: 713 },
  at: { moment: "send", command: "EVAL", client: 1, server: "node-0", count: 1 },
  until: { moment: "send", command: "EVAL", client: 1, server: "node-0", count: 1, afterMs: 1 },
} as const;

it("proves that an extension prolonged what another client had, though that one's next grant is the one in conflict", async () => {
  const again: Section = { ...WAITS, after: { atMs: 1820 }, steps: [{ do: "hold", forMs: 840 }] };
  const [violation] = await violationsOf("lease-exclusion", "extend-unchecked", [WAITS, again], [SLOW_RELEASE]);
  expect(violation?.explanation).toMatch(/client-0 extended a lease that was over/);
  expect(violation?.explanation).toMatch(/If client-1 does not ask for the lock, that extension finds/);
  expect(violation).toMatchObject({ cause: "foreign-release", proof: { standing: "proven" } });
});

it("proves it of a lock that was granted without its client's knowledge", async () => {
  const cut = {
    kind: "partition",
    params: { between: [["client-1"], ["node-0"]] },
    at: { atMs: 10 },
    until: { atMs: 1296 },
  } as const;
  const [violation] = await violationsOf("linearizability", "extend-unchecked", [WAITS], [cut]);
  expect(violation).toMatchObject({ cause: "foreign-release", proof: { standing: "proven" } });
});

it("proves that an extension of unknown outcome overwrote the lock of a holder that is told that it holds nothing", async () => {
  const reset = {
    kind: "reset",
    params: { between: [["client-0"], ["node-0"]], oneWay: false },
    at: { moment: "after", command: "SET", client: 0, server: "node-0", count: 2 },
  } as const;
  const holds: Section = { ...WAITS, steps: [{ do: "hold", forMs: 840 }] };
  const [violation] = await violationsOf("linearizability", "extend-set-xx", [holds], [reset]);
  expect(violation).toMatchObject({ cause: "foreign-release", proof: { standing: "proven" } });
  expect(violation?.explanation).toMatch(/An extension by client-0, .* changed the lease of another/);
});

it("suspects no extension of having prolonged another's lock where nobody else asked for it", async () => {
  const [violation] = await violationsOf("linearizability", "extend-unawaited", [{ ...WAITS, key: "k2" }], []);
  expect(violation).toMatchObject({ cause: "lost-early", proof: { standing: "proven" } });
});

/** Tries the extension with this index of a history, where each other run gives `alone`; and what was left out in those runs. */
async function tried(recorded: Recording, invoked: number, alone: Recording) {
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: "single",
    topology: { kind: "single" },
    resource: { fencing: false },
    clients: [{ sections: [] }, { sections: [] }],
    faults: [],
    limitMs: 30_000,
  });
  const verdict = { verdict: "invalid", required: [], properties: {}, reasons: [], remarks: [] } as const;
  const original = { plan, history: recorded.history, verdict };
  const leftOut: unknown[] = [];
  const runs = new CounterfactualRuns(original, ({ alteration }) => {
    leftOut.push(alteration);
    return Promise.resolve({ ...original, history: alone.history, traceHash: "" });
  });
  return { outcome: (await tryExtension(original, runs, invoked)).outcome, leftOut };
}

const held = (): Recording => new Recording({ clients: 2 }).acquire(0, 0, "a");

it("acquits an extension that succeeds where nobody else has the lock", async () => {
  const outcomeWith = async (alone: Recording): Promise<string> => {
    const recorded = held().seek(1005, 1).extend(1010, 0, "a").granted(1020, 1, "b");
    return (await tried(recorded, 3, alone)).outcome;
  };
  expect(await outcomeWith(held().extend(1010, 0, "a"))).toBe("dropped");
  expect(await outcomeWith(held().seekExtension(1010, 0, "a", 1000).failExtension(1011, 0))).toBe("proven");
  expect(await outcomeWith(held())).toBe("undecided");
  // There it prolongs another hold.
  expect(await outcomeWith(held().acquire(500, 0, "a").extend(1010, 0, "a"))).toBe("undecided");
});

it("leaves out the last acquire of another client by then that may have got the lock, and earlier ones of unknown outcome", async () => {
  const recorded = held()
    .acquire(1010, 1, "b", { ttlMs: 10 })
    .seek(1100, 1)
    .info(1110, 1, "acquire")
    .acquire(1200, 3, "c", { ttlMs: 10 })
    .fail(1300, 3)
    .extend(1400, 0, "a")
    .acquire(1500, 3, "d");
  const leave = { kind: "leave-out", client: 1, f: "acquire" };
  expect((await tried(recorded, 10, held())).leftOut).toEqual([
    { ...leave, ordinal: 3 },
    { ...leave, ordinal: 2 },
  ]);
});
