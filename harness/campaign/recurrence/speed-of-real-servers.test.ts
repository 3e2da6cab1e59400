import { expect, test } from "vitest";
import type { Delays } from "./delays.ts";
import type { History } from "../../history/history.ts";
import { plan } from "../../run/testing/plans.ts";
import { runSimulated } from "../run-simulated.ts";

const section = { key: "k1", ttlMs: 2_000, waitMs: 0, tries: 1, release: true };
const paused = plan({
  lock: "single",
  clients: [{ sections: [{ ...section, steps: [{ do: "hold", forMs: 50 }] }] }],
  faults: [
    {
      kind: "pause-client",
      params: { targets: ["client-0"] },
      at: { on: "acquire:ok", client: 0 },
      until: { on: "fault:start", fault: 0 },
    },
  ],
});

async function historyOf(delays?: Delays): Promise<History> {
  const { record } = await runSimulated(paused, { title: "", required: ["mutual-exclusion"], delays });
  return record.history;
}

/** Milliseconds from the beginning of the run to the first event of the kind. */
function at({ events }: History, wanted: (event: History["events"][number]) => boolean): number {
  return events.find(wanted)!.time / 1e6;
}

const granted = (history: History): number => at(history, ({ f, type }) => f === "acquire" && type === "ok");
const released = (history: History): number => at(history, ({ f, type }) => f === "release" && type === "invoke");
const injected = (history: History): number =>
  at(history, ({ type, value }) => type === "fault" && value.phase === "start");
const healed = (history: History): number =>
  at(history, ({ type, value }) => type === "fault" && value.phase === "heal");

test("faults take effect late and are healed late, and a client at whose event they come waits", async () => {
  const soon = await historyOf();
  expect(healed(soon) - granted(soon)).toBeLessThan(1);
  const slow = await historyOf({ faultMs: 100, messageUs: { from: 50, to: 250 } });
  expect(injected(slow) - granted(slow)).toBeGreaterThanOrEqual(100);
  expect(healed(slow) - injected(slow)).toBeGreaterThanOrEqual(100);
  expect(released(slow) - injected(slow)).toBeGreaterThanOrEqual(50);
});

test("messages take as long as asked", async () => {
  const slow = await historyOf({ faultMs: 0, messageUs: { from: 5_000, to: 6_000 } });
  expect(granted(slow)).toBeGreaterThanOrEqual(10);
  expect(granted(await historyOf())).toBeLessThan(5);
});
