// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { expect, test } from "vitest";
import { planSchema } from "../../harness/core/plan.ts";
import { redlock5 } from "./redlock5.ts";

const TTL_MS = 1_000;
const WAIT_MS = 10_000;

/** Three clients ask five masters at once, and none wins. Two give up within 500 ms; the first continues alone. */
function planFor(lock: string) {
  const client = (waitMs: number) => ({
    sections: [{ key: "k1", ttlMs: TTL_MS, waitMs, tries: 1, steps: [], release: true }],
  });
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 5,
    lock,
    topology: { kind: "redlock" },
    clients: [client(WAIT_MS), client(0), client(400)],
    faults: [],
    limitMs: 30_000,
  });
}

async function run(lock: string) {
  const { record } = await runSimulated(planFor(lock), { title: "alone", required: ["deadlock-freedom"] });
  const answers = record.history.events.flatMap((event) =>
    event.f === "acquire" && event.type !== "invoke" ? [{ process: event.process, type: event.type }] : [],
  );
  return { answers, verdict: record.verdict.properties["deadlock-freedom"] };
}

test("its own votes of earlier tries refuse the next ones: alone, it does not get a free lock in ten leases", async () => {
  const limit = { property: "deadlock-freedom", topology: "redlock", under: "none", cause: "never-freed" };
  expect(redlock5.limits).toContainEqual(expect.objectContaining(limit));
  const { answers, verdict } = await run("redlock5");
  expect(answers.map(({ type }) => type)).toEqual(["fail", "fail", "fail"]);
  expect(verdict).toMatchObject({ verdict: "invalid", violations: [{ cause: "never-freed" }] });
});

test.each(["redlock", "redlock4", "redis-semaphore-redlock"])(
  "%s frees what a try took before the next",
  async (lock) => {
    const { answers, verdict } = await run(lock);
    expect(answers).toContainEqual({ process: 0, type: "ok" });
    expect(verdict).toMatchObject({ verdict: "valid" });
  },
);
