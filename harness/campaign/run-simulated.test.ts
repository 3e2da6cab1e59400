import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepSimulated, runSimulated, InterruptedRunError } from "./run-simulated.ts";
import { UserError } from "../core/errors.ts";
import { checkHistory } from "../check/check.ts";
import { parseHistory } from "../history/history-reader.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema } from "../core/plan.ts";

test("a run of 20,000 sections starts, ends soon after its signal, and keeps its history, marked as interrupted", async () => {
  const section = { key: "k1", ttlMs: 1000, waitMs: 2000, steps: [{ do: "write" }] };
  const sections = Array.from({ length: 10_000 }, () => section);
  const plan = planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: "single",
    topology: { kind: "single" },
    clients: [{ sections }, { sections }],
    faults: [],
    limitMs: 3.6e6,
  });
  const interruption = new AbortController();
  let lines = 0;
  const sink = (): void => {
    if ((lines += 1) === 500) interruption.abort(new Error("Ctrl-C"));
  };
  const ended = runSimulated(plan, { title: "t", required: [], sink, signal: interruption.signal });
  const interrupted = await ended.catch((error: unknown) => error);
  if (!(interrupted instanceof InterruptedRunError)) throw new Error("it was not interrupted");
  // The run in progress ends, and no other begins.
  expect(lines).toBeLessThan(520);
  const store = mkdtempSync(join(tmpdir(), "lockstorm-interrupted-"));
  try {
    const history = parseHistory(readFileSync(interrupted.keep(store), "utf8"), "kept");
    expect(history.events).toHaveLength(lines - 2);
    expect(history.end?.value).toMatchObject({ run: "interrupted", sections: { planned: 20_000 } });
    expect(checkHistory(history).reasons[0]).toMatch(
      /^the run was interrupted at .* of 20,000 critical sections done$/,
    );
  } finally {
    rmSync(store, { recursive: true });
  }
});

test("a run that cannot be kept is told with its verdict", async () => {
  const plan = planSchema.parse({
    format: PLAN_FORMAT,
    version: PLAN_VERSION,
    seed: 1,
    lock: "single",
    topology: { kind: "single" },
    clients: [{ sections: [{ key: "k1", ttlMs: 1000, waitMs: 0, steps: [] }] }],
    faults: [],
  });
  const run = await runSimulated(plan, { title: "t", required: [] });
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-unkept-"));
  try {
    const store = join(folder, "store");
    writeFileSync(store, "a file");
    const keep = (): unknown => keepSimulated(run, store);
    expect(keep).toThrow(UserError);
    expect(keep).toThrow(/^the run cannot be recorded in .*, and the verdict of the run is unknown$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
