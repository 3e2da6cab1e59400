import { expect, test } from "vitest";
import { plan } from "../../run/testing/plans.ts";
import { completeEnvironment } from "../run-environment.ts";
import { runSimulated } from "../run-simulated.ts";
import { HeardProgress } from "../testing/results.ts";
import { recurrenceOf } from "./real-servers.ts";

const section = { key: "k1", ttlMs: 2_000, waitMs: 0, tries: 1, release: true };

test("says why real servers ran nothing, though they were asked for", async () => {
  const onlySimulated = plan({
    lock: "fenced",
    clients: [{ sections: [{ ...section, steps: [{ do: "hold", forMs: 50 }] }] }],
    faults: [
      {
        kind: "clock-rate",
        params: { targets: ["node-0"], rate: 1.1 },
        at: { on: "acquire:ok", client: 0 },
        until: { on: "fault:start", fault: 0 },
      },
    ],
  });
  const run = await runSimulated(onlySimulated, { title: "", required: ["mutual-exclusion"] });
  const judged = { ...run, verdict: run.record.verdict, plan: onlySimulated, keep: () => expect.unreachable() };
  const progress = new HeardProgress();
  const environment = completeEnvironment({ progress });
  const why = "the fault clock-rate cannot be injected on containers";
  const otherSeeds = { failed: 19, of: 20 };
  expect(await recurrenceOf({ run: judged, otherSeeds, confirms: true }, environment)).toEqual({
    otherSeeds,
    notOnRealServers: why,
  });
  expect(progress.notes).toEqual([expect.stringContaining(`not tried on real servers: ${why}`)]);
  expect(await recurrenceOf({ run: judged, otherSeeds, confirms: false }, environment)).toEqual({ otherSeeds });
});
