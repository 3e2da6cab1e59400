import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runOnContainers } from "../../campaign/run-on-containers.ts";
import { planSchema } from "../../core/plan.ts";
import { readWire } from "../../run/wire-files.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { PROXY_GAPS } from "./proxy-recording.ts";

let store: string;
beforeAll(() => {
  store = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterAll(() => rmSync(store, { recursive: true }));

/** One client that takes the lock and gives it back. */
const plan = planSchema.parse({
  format: "lockstorm-plan",
  version: 1,
  seed: 5,
  lock: "get-del",
  topology: { kind: "single" },
  clients: [{ sections: [{ key: "k1", ttlMs: 60_000, waitMs: 0, steps: [] }] }],
  faults: [],
  limitMs: 60_000,
});

describeWithEngine("the wire on real servers", () => {
  test("is recorded beside the history where it is asked for, command by command, with its gaps", async () => {
    const { record, folder } = await runOnContainers(plan, { store, title: "test", required: [], wire: true });
    const { wire } = await readWire(folder);
    expect(wire).toEqual(JSON.parse(JSON.stringify(record.wire)));
    expect(wire).toMatchObject({ seenAt: "proxy", gaps: PROXY_GAPS, keys: [], replication: [], votes: [], leftOut: 0 });
    const { events } = record.history;
    const told = (wire?.messages ?? []).map(({ command, keys, reply, operation, sentNs, repliedNs = -1 }) => {
      const invoked = events.find(({ index }) => index === operation);
      const ended = events.find(({ index, process }) => index > (operation ?? 0) && process === invoked?.process);
      const within = (invoked?.time ?? 0) <= sentNs && sentNs <= repliedNs && repliedNs <= (ended?.time ?? 0);
      return `${invoked?.f} ${command} ${keys.join(" ")}: ${reply}${within ? "" : ", at another time"}`;
    });
    expect(told).toContain("acquire SET k1: OK");
    expect(told).toContain("release DEL k1: 1");
    expect(JSON.stringify(record.history)).not.toContain("SET");
  });

  test("is not recorded where nobody asks for it", async () => {
    const { record, folder } = await runOnContainers(plan, { store, title: "test", required: [] });
    expect(record.wire).toBeUndefined();
    expect(await readWire(folder)).toEqual({});
  });
});
