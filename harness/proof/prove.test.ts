import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { proveSimulated, runSimulated } from "../campaign/run-simulated.ts";
import { type Plan, type PlanInput, planSchema } from "../core/plan.ts";
import { PROPERTIES, type Property, type Violation } from "../core/verdict.ts";
import { catalogue } from "../../workloads/catalogue.ts";
import { interruptedHolder, rival } from "../../workloads/catalogue/clients.ts";
import { planOf, requiredOf } from "../../workloads/scenario.ts";

type PlanParts = Omit<PlanInput, "format" | "version" | "seed"> & { readonly seed?: number };
type Section = PlanInput["clients"][number]["sections"][number];

function planWith(parts: PlanParts): Plan {
  return planSchema.parse({ format: "lockstorm-plan", version: 1, seed: 1, ...parts });
}

async function provenViolations(plan: Plan, required: readonly Property[] = PROPERTIES) {
  const run = await proveSimulated(await runSimulated(plan, { title: "", required }));
  return run.record.verdict.properties;
}

async function first(plan: Plan, property: Property): Promise<Violation> {
  const violation = (await provenViolations(plan))[property]?.violations[0];
  if (violation === undefined) throw new Error(`${property} is not violated`);
  return violation;
}

const scenario = (slug: string): Plan => {
  const found = catalogue.find((each) => each.slug === slug);
  if (found === undefined) throw new Error(`there is no scenario ${slug}`);
  return planOf(found, { seed: 1 });
};

describe("of the scenarios of the catalogue", () => {
  it.each(catalogue.map((each) => [each.slug, each] as const))(
    "%s has causes that are proven",
    { tags: "long" },
    async (_, each) => {
      const properties = await provenViolations(planOf(each, { seed: 1 }), requiredOf(each, "schedule"));
      for (const [property, expectation] of Object.entries(each.expected)) {
        const found = properties[property as Property];
        if (expectation === "valid") {
          expect(found?.verdict).toBe("valid");
          continue;
        }
        const causes = new Set(found?.violations.map(({ cause }) => cause));
        expect([...causes].toSorted()).toEqual([expectation].flat().toSorted());
      }
      for (const { violations } of Object.values(properties)) {
        for (const { proof, explanation } of violations) {
          expect(proof?.standing).toBe("proven");
          expect(explanation).not.toContain("Probably");
          expect(explanation).not.toMatch(/ by -\d/);
        }
      }
    },
  );
});

describe("a cause", () => {
  it("is the fault without which the same schedule breaks nothing", async () => {
    const { cause, proof, explanation } = await first(scenario("crash-no-persist"), "lease-exclusion");
    expect(cause).toBe("lost-in-restart");
    expect(proof?.run).toMatchObject({ change: { kind: "without-faults", steps: [0] } });
    expect(proof?.run?.traceHash).toMatch(/^[0-9a-f]{16,}$/);
    expect(explanation).toContain(", the same schedule breaks nothing.");
  });

  it("is not a fault that was there and changed nothing", async () => {
    const plan = planWith({
      lock: "get-then-set",
      topology: { kind: "single" },
      clients: [
        { sections: [{ key: "k1", ttlMs: 5000, waitMs: 0, steps: [{ do: "hold", forMs: 900 }] }] },
        { sections: [{ key: "k1", ttlMs: 5000, waitMs: 0, steps: [{ do: "hold", forMs: 900 }] }] },
      ],
      faults: [{ kind: "clock-jump", params: { targets: ["node-0"], byMs: 10 }, at: { on: "acquire:ok" } }],
    });
    const run = await runSimulated(plan, { title: "", required: PROPERTIES });
    const guessed = run.record.verdict.properties["lease-exclusion"]?.violations[0];
    expect(guessed).toMatchObject({ cause: "clock-jump", proof: { standing: "probable" } });
    expect(guessed?.explanation).toContain("Probably: ");
    const violation = (await proveSimulated(run)).record.verdict.properties["lease-exclusion"]?.violations[0];
    expect(violation).toMatchObject({
      cause: "double-grant",
      proof: { standing: "proven", dropped: [{ cause: "clock-jump" }] },
    });
    expect(violation?.explanation).toContain("it still happens");
    expect(violation?.fault).toBeUndefined();
  });

  it("is a release that took another's lock only if leaving it out keeps the lock", async () => {
    const { cause, proof } = await first(scenario("plain-del"), "lease-exclusion");
    expect(cause).toBe("foreign-release");
    expect(proof?.run?.change).toMatchObject({ kind: "without-operation", client: 0, f: "release" });
  });

  it("is the stop of a client that gives the lock up in time without it, though nobody else comes then", async () => {
    const plan = planWith({
      lock: "single",
      topology: { kind: "single" },
      clients: [interruptedHolder(500, 100), rival({ ttlMs: 5000, waitMs: 3000, after: { atMs: 700 } })],
      faults: [
        {
          kind: "pause-client",
          params: { targets: ["client-0"] },
          at: { on: "write:ok", client: 0 },
          until: { on: "write:ok", client: 1 },
        },
      ],
    });
    const found = await first(plan, "mutual-exclusion");
    expect(found).toMatchObject({ cause: "overrun", proof: { standing: "proven" } });
    expect(found.explanation).toContain("client-0 gives up the lock within its lease");
  });
});

describe("a holder that is told that it holds nothing", () => {
  const denied = (key: string): Promise<Violation> => {
    const lock = fileURLToPath(new URL("testing/denying-lock.ts", import.meta.url));
    const section: Section = { key, ttlMs: 900, waitMs: 0, steps: [{ do: "hold", forMs: 600 }] };
    const plan = planWith({ lock, topology: { kind: "single" }, clients: [{ sections: [section] }], faults: [] });
    return first(plan, "linearizability");
  };

  it("was told wrongly if another owner is refused in its place", async () => {
    const { cause, proof, explanation } = await denied("denied");
    expect(cause).toBe("contradiction");
    expect(proof?.run?.change).toEqual({ kind: "with-probe", client: 0, ordinal: 1 });
    expect(explanation).toContain("The lock was still held, and told its holder that it was not.");
    expect(proof?.dropped?.map((dropped) => dropped.cause)).toEqual(["lost-early"]);
  });

  it("had lost it if another owner is granted it there", async () => {
    expect(await denied("short")).toMatchObject({ cause: "lost-early", proof: { standing: "proven" } });
  });

  it("had lost it too where its own lock object would refuse another owner from memory", async () => {
    expect(await denied("gated")).toMatchObject({ cause: "lost-early", proof: { standing: "proven" } });
  });
});

describe("among other faults of the plan, a cause", () => {
  const holding = (forMs: number, more: Partial<Section> = {}): Section => ({
    key: "k1",
    ttlMs: 800,
    waitMs: 0,
    steps: [{ do: "hold", forMs }],
    ...more,
  });

  it("is proven although another fault of the plan comes neither with it nor without it", async () => {
    const plan = planWith({
      lock: "setnx",
      topology: { kind: "single" },
      clients: [{ sections: [holding(400)] }, { sections: [holding(100, { after: { atMs: 200 } })] }],
      faults: [
        // The driver cannot extend: no client ever starts an extension.
        { kind: "clock-jump", params: { targets: ["node-0"], byMs: 30_000 }, at: { on: "extend:ok" } },
        { kind: "eviction", params: { targets: ["node-0"] }, at: { atMs: 100 } },
      ],
    });
    const { cause, proof } = await first(plan, "lease-exclusion");
    expect(cause).toBe("eviction");
    expect(proof).toMatchObject({ standing: "proven", run: { change: { steps: [1] } } });
  });

  it("is the death of a holder if the client that was refused for ever is granted the lock without it", async () => {
    const plan = planWith({
      lock: "setnx",
      topology: { kind: "single" },
      clients: [
        { sections: [holding(100)] },
        {
          sections: [
            holding(10, { waitMs: 6000, after: { on: "acquire:ok", client: 0 } }),
            holding(10, { waitMs: 6000 }),
          ],
        },
      ],
      faults: [
        // It comes only if client-1 is granted the lock, and then no client tries to acquire after it.
        {
          kind: "pause-client",
          params: { targets: ["client-1"] },
          at: { on: "release:invoke", client: 1, count: 2 },
          until: { on: "release:invoke", client: 1, count: 2, afterMs: 50 },
        },
        { kind: "kill-client", params: { targets: ["client-0"] }, at: { on: "acquire:ok", client: 0 } },
      ],
    });
    const { cause, proof, explanation } = await first(plan, "deadlock-freedom");
    expect(cause).toBe("never-freed");
    expect(proof).toMatchObject({ standing: "proven", run: { change: { steps: [1] } } });
    expect(explanation).toContain(", client-1 is granted the lock.");
  });

  it("is what delayed a grant if its lease began before its client was told", async () => {
    const plan = planWith({
      // A seed with which the key is taken before the server is paused, and the fencing token only after it.
      seed: 1801419220,
      lock: "fence-second-command",
      topology: { kind: "single" },
      clients: [
        { sections: [holding(512, { waitMs: 1600 })] },
        { sections: [holding(804, { ttlMs: 1200, waitMs: 4800 })] },
      ],
      faults: [{ kind: "pause-node", params: { targets: ["node-0"] }, at: { atMs: 0.2 }, until: { atMs: 498.2 } }],
    });
    const { cause, proof, explanation } = await first(plan, "mutual-exclusion");
    expect(cause).toBe("overrun");
    expect(proof).toMatchObject({ standing: "proven", run: { change: { steps: [0] } } });
    expect(explanation).toContain("delayed the grant of client-0");
    expect(explanation).toContain("client-0 gives up the lock within its lease");
  });
});

describe("advice", () => {
  it("is a timer in the client where the client ran and was cut off", async () => {
    const { proof, explanation } = await first(scenario("watchdog-silent"), "mutual-exclusion");
    expect(proof?.remedies).toMatchObject([{ remedy: "local-timer", outcome: "prevents" }]);
    expect(explanation).toContain("A timer in the client that stops its work when the lease ends prevents this");
  });

  it("is a resource that checks fencing tokens where the client was stopped and its late write is refused", async () => {
    const plan = { ...scenario("pause-past-lease"), lock: "fenced" };
    const { proof, explanation } = await first(plan, "mutual-exclusion");
    expect(proof?.remedies).toMatchObject([{ remedy: "fencing-resource", outcome: "prevents" }]);
    expect(explanation).toContain("A resource that checks fencing tokens rejects the late write");
  });

  it("is no such resource where it accepts the late write, because no newer token has come before it", async () => {
    const { proof, explanation } = await first(scenario("zombie-before-fence"), "mutual-exclusion");
    expect(proof?.remedies).toContainEqual(
      expect.objectContaining({ remedy: "fencing-resource", outcome: "undecided" }),
    );
    expect(explanation).not.toContain("A resource that checks fencing tokens");
  });

  it("is nothing that the run had already", async () => {
    const { proof, explanation } = await first(scenario("zombie-before-fence"), "lost-updates");
    expect(proof?.remedies?.map(({ remedy }) => remedy)).toEqual(["local-timer"]);
    expect(explanation).not.toContain("A resource that checks fencing tokens");
  });

  it("is no such resource where the lock has no fencing tokens that it could check", async () => {
    const { proof, explanation } = await first(scenario("pause-past-lease"), "lost-updates");
    expect(proof?.remedies?.map(({ remedy }) => remedy)).toEqual(["local-timer"]);
    expect(explanation).not.toContain("fencing token");
  });

  it("is a timer that ends the hold within its lease, though the two clients are then at odds about another hold", async () => {
    const plan = planWith({
      lock: "single",
      topology: { kind: "single" },
      clients: [
        {
          sections: [
            { key: "k1", ttlMs: 500, waitMs: 0, steps: [{ do: "hold", forMs: 900 }] },
            { key: "k1", ttlMs: 5000, waitMs: 900, steps: [{ do: "hold", forMs: 1200 }] },
          ],
        },
        {
          sections: [
            { key: "k1", ttlMs: 300, waitMs: 0, after: { atMs: 600 }, steps: [{ do: "hold", forMs: 200 }] },
            { key: "k1", ttlMs: 300, waitMs: 0, after: { atMs: 1500 }, steps: [{ do: "hold", forMs: 400 }] },
          ],
        },
      ],
      faults: [{ kind: "eviction", params: { targets: ["node-0"] }, at: { atMs: 1400 } }],
    });
    const { proof, cause } = await first(plan, "mutual-exclusion");
    expect(cause).toBe("overrun");
    expect(proof?.remedies).toMatchObject([{ remedy: "local-timer", outcome: "prevents" }]);
  });

  it("is no sync where the servers sync already", async () => {
    const plan = scenario("crash-no-persist");
    const synced = { ...plan, topology: { ...plan.topology, persistence: "always" as const } };
    const wiped = {
      ...synced,
      faults: plan.faults.map((fault) => ({
        ...fault,
        kind: "restart-node",
        params: { targets: ["node-0"], keepData: false },
      })),
    };
    const { cause, proof, explanation } = await first(wiped, "lease-exclusion");
    expect({ cause, standing: proof?.standing }).toEqual({ cause: "lost-in-restart", standing: "proven" });
    expect(explanation).not.toContain("syncs to disk");
  });

  it("is no timer where the client was stopped", async () => {
    const { proof, explanation } = await first(scenario("pause-past-lease"), "mutual-exclusion");
    expect(proof?.remedies).toContainEqual(expect.objectContaining({ remedy: "local-timer", outcome: "no-help" }));
    expect(explanation).not.toContain("prevents it");
  });

  it("is no timer where a lease that the lock renewed several times ended while the client was stopped", async () => {
    const plan = planWith({
      lock: "watchdog",
      topology: { kind: "single" },
      clients: [
        {
          sections: [
            {
              key: "k1",
              ttlMs: 500,
              waitMs: 0,
              steps: [
                { do: "read" },
                { do: "hold", forMs: 1800 },
                { do: "write" },
                { do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 4000 },
                { do: "write" },
              ],
            },
          ],
        },
        rival({ ttlMs: 5000, waitMs: 4000 }),
      ],
      faults: [
        {
          kind: "pause-client",
          params: { targets: ["client-0"] },
          at: { on: "write:ok", client: 0 },
          until: { on: "write:ok", client: 1 },
        },
      ],
    });
    const { cause, proof } = await first(plan, "mutual-exclusion");
    expect(cause).toBe("overrun");
    expect(proof?.standing).toBe("proven");
    expect(proof?.remedies).toContainEqual(expect.objectContaining({ remedy: "local-timer", outcome: "no-help" }));
  });

  it("is a look at the clock where the grant was over when it came", async () => {
    const { proof } = await first(scenario("bad-elapsed-check"), "lease-exclusion");
    expect(proof?.remedies).toMatchObject([{ remedy: "elapsed-check", outcome: "prevents" }]);
  });

  it("is to sync before replying where a node lost what it had granted", async () => {
    const { proof } = await first(scenario("everysec-power-loss"), "mutual-exclusion");
    expect(proof?.remedies).toMatchObject([{ remedy: "fsync", outcome: "prevents" }]);
  });
});

it("takes the same runs, to the same end, whenever it is asked", { tags: "long" }, async () => {
  const plan = scenario("promoted-skewed-clock");
  expect(await provenViolations(plan)).toEqual(await provenViolations(plan));
});
