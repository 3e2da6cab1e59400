// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { expect, test } from "vitest";
import { planSchema } from "../../harness/core/plan.ts";
import { bullmq } from "./bullmq.ts";
import { STALLED_INTERVAL_MS } from "./bullmq-client.ts";

const TTL_MS = 400;

/** A client does these steps while it holds; another one waits for its job. */
async function run(steps: readonly object[], faults: readonly object[] = []) {
  const section = { key: "a:b", ttlMs: TTL_MS, waitMs: 5_000 };
  const granted = { on: "acquire:ok", client: 0, count: 1 };
  const plan = planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 1,
    lock: bullmq.name,
    topology: { kind: "single" },
    clients: [
      { sections: [{ ...section, steps }] },
      { sections: [{ ...section, after: granted, steps: [{ do: "hold", forMs: 300 }] }] },
    ],
    faults: faults.map((fault) => ({ ...fault, at: granted })),
  });
  const required = ["owner-release", "lease-exclusion", "deadlock-freedom"] as const;
  const { record } = await runSimulated(plan, { title: "a job", required });
  expect(record.verdict).toMatchObject({ verdict: "valid" });
  return record.history.events.filter(({ type }) => type !== "invoke");
}

test("a job is fetched once its worker has completed it, and not before", async () => {
  const events = await run([{ do: "hold", forMs: 200 }]);
  expect(events.slice(0, 3)).toMatchObject([
    { f: "acquire", process: 0, type: "ok" },
    { f: "release", process: 0, type: "ok", value: { released: true } },
    { f: "acquire", process: 1, type: "ok" },
  ]);
});

test("a job whose worker died is stalled, and fetched by another within two looks for stalled jobs", async () => {
  const events = await run(
    [{ do: "hold", forMs: 10_000 }],
    [{ kind: "kill-client", params: { targets: ["client-0"] } }],
  );
  const fetched = events.find(({ process, type }) => process === 1 && type === "ok");
  expect(fetched).toMatchObject({ f: "acquire" });
  const atMs = (fetched?.time ?? 0) / 1e6;
  expect(atMs).toBeGreaterThan(TTL_MS);
  expect(atMs).toBeLessThan(TTL_MS + 2 * STALLED_INTERVAL_MS + 100);
});

test("a worker that comes too late neither extends nor completes the job of another, and learns it", async () => {
  const until = { on: "acquire:ok", client: 1, count: 1 };
  const events = await run([
    { do: "await", until, atMostMs: 5_000 },
    { do: "extend", ttlMs: 5_000 },
  ]);
  expect(events.slice(1)).toMatchObject([
    { f: "acquire", process: 1, type: "ok" },
    { f: "extend", process: 0, type: "fail" },
    { f: "release", process: 0, type: "ok", value: { released: false } },
    { f: "release", process: 1, type: "ok", value: { released: true } },
  ]);
});
