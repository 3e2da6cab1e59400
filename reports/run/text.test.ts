import type { Cause } from "../../harness/core/verdict.ts";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { WireRecord } from "../../harness/core/messages/wire-record.ts";
import { checkHistory } from "../../harness/check/check.ts";
import { Recording } from "../../harness/check/testing/recording.ts";
import { renderText } from "./text.ts";
import { longRun } from "../testdata/long-run.ts";
import {
  EXAMPLE_RUNS,
  faultWithoutEffect,
  jumpOfOneInFive,
  lostInFailover,
  pausedPastLease,
  releaseAfterLoss,
  takingTurns,
} from "../testdata/example-runs.ts";

const plain = { color: false, width: 80 } as const;

/** The cells of the row behind a label, in the first picture. */
function lane(text: string, label: string): string {
  const row = text.split("\n").find((line) => line.startsWith(`  ${label} `) || line === `  ${label}`);
  return row?.slice(2 + label.length) ?? "";
}

describe.each(Object.entries(EXAMPLE_RUNS))("%s", (_, make) => {
  test.each([60, 80, 120, 200])("no line is wider than %i columns, except the command to copy", (width) => {
    const lines = renderText(make(), { color: false, width }).split("\n");
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines.filter((text) => !text.startsWith("  npx ")))
      expect(line.length).toBeLessThanOrEqual(width);
  });

  test("colours change nothing but the colours", () => {
    const colored = renderText(make(), { color: true, width: 100 });
    expect(colored).toContain("\u001b[");
    expect(stripVTControlCharacters(colored)).toBe(renderText(make(), { color: false, width: 100 }));
  });

  test("without Unicode it is plain ASCII", () => {
    expect(renderText(make(), { ...plain, unicode: false })).toMatch(/^[\n -~]+$/);
  });

  test("no line ends in a space, and the text ends in one line feed", () => {
    const text = renderText(make(), plain);
    expect(text).not.toMatch(/[ \u00a0]\n/);
    expect(text).toMatch(/[^\n]\n$/);
  });
});

describe("what is told", () => {
  test("verdict, properties, cause, remarks, evidence and the replay", () => {
    const text = renderText(lostInFailover(), { color: false, width: 120 });
    expect(text).toMatch(/^INVALID {2}async-failover\n/);
    expect(text).toMatch(/✗ mutual-exclusion +broken +1 violation: lost-in-failover/);
    expect(text).toMatch(/✓ owner-release +holds/);
    expect(text).toMatch(/- fencing-tokens +n\/a +no grant carries a fencing token/);
    expect(text).toContain("client-0's release found nothing to release: its key was gone.");
    expect(text).toContain("installed: ROLE of node-1 says master");
    expect(text).toContain("healed: PING passes again on 4 edges");
    expect(text).toContain(
      "npx lockstorm replay .lockstorm/runs/2026-01-12T10-11-12-42/plan.json --backend containers",
    );
  });

  test("why real servers did not try a counterexample, broken between words", () => {
    const why = "nothing answers at /var/run/docker.sock: the container engine is not running";
    const text = renderText({ ...lostInFailover(), recurrence: { notOnRealServers: why } }, plain);
    expect(text.replaceAll(/\s+/g, " ")).toContain(`was not tried on real servers: ${why}`);
  });

  test("one violation that two properties see is drawn once", () => {
    const text = renderText(lostInFailover(), plain);
    expect(text.match(/^Violation/gm)).toHaveLength(1);
    expect(text).toContain("mutual-exclusion and lease-exclusion, the grant was lost in a");
  });

  test("the moments stand in the order of time with the index of their event", () => {
    const text = renderText(pausedPastLease(), { color: false, width: 120 });
    const times = [...text.matchAll(/^ +\d+ +([\d,]+\.\d) +(?:#\d+)? +\S/gm)].map(([, time]) =>
      Number(time?.replaceAll(",", "")),
    );
    expect(times).toEqual([1.5, 2.5, 10, 999.5, 1005.6, 1010.5, 1210, 6000, 6001.5, 6004]);
    expect(text).toMatch(/1,005\.6 {2}#9 +client-1 is granted k1/);
    expect(text).toMatch(/ 999\.5 {9}client-0's lease is over; it still holds/);
  });

  test("how close it was", () => {
    expect(renderText(pausedPastLease(), plain)).toContain(
      "How close it was\n  - a lease was over 5,005 ms before its release\n",
    );
    expect(renderText(lostInFailover(), plain)).not.toContain("How close");
  });

  test("a property that is broken but not required is marked so", () => {
    expect(renderText(pausedPastLease(), plain)).toMatch(
      /mutual-exclusion +broken +1 violation: overrun \(not required\)/,
    );
  });

  test("what an invalid run leaves undecided, which does not make it unknown", () => {
    const run = pausedPastLease();
    const text = renderText({ ...run, verdict: { ...run.verdict, reasons: ["the history is truncated"] } }, plain);
    expect(text).toContain("What the run leaves undecided\n  - the history is truncated");
    expect(text).not.toContain("Why the run is unknown");
  });

  test("why a run is unknown, and that a fault was skipped", () => {
    const text = renderText(faultWithoutEffect(), plain);
    expect(text).toMatch(/^UNKNOWN {2}single\n/);
    expect(text).toContain("Why the run is unknown\n");
    expect(text).toContain("no lock was ever contended");
    expect(text).toContain("skipped: its trigger never happened");
    expect(text).toContain("indeterminate: PING still passes");
  });

  test("control characters of a history do not reach the terminal", () => {
    const run = lostInFailover();
    const hostile = { ...run, title: "a\u001b[2Jb\nc", verdict: { ...run.verdict, remarks: ["x\u0007y\r\nz"] } };
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    expect(renderText(hostile, plain)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  });
});

describe("what is drawn", () => {
  test("the lease and the overrun of a hold, and the overlap inside both holds", () => {
    const text = renderText(pausedPastLease(), { color: false, width: 120 });
    const first = lane(text, "client-0");
    const second = lane(text, "client-1");
    const overlap = lane(text, "overlap");
    expect(first).toMatch(/█+┊?█+▒+┊▒+/);
    expect(second).toMatch(/·.*█{5,}/);
    const from = overlap.indexOf("▲");
    const to = overlap.lastIndexOf("▲");
    expect(to - from).toBeGreaterThanOrEqual(10);
    expect(overlap).toContain("204 ms");
    // Labels differ in length, so columns are compared within rows of labels of the same length.
    expect(second.slice(second.indexOf("█"), second.lastIndexOf("█") + 1)).toHaveLength(to - from + 1);
    expect(first.lastIndexOf("▒")).toBeGreaterThan(second.lastIndexOf("█"));
  });

  test("the length of an overlap that leaves no room beside it stands in it, apart from its marks", () => {
    const { history } = new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { ttlMs: 60_000 })
      .acquire(1, 1, "b", { ttlMs: 60_000 })
      .release(30_000, 0, "a")
      .release(30_001, 1, "b");
    const run = { title: "long", history, verdict: checkHistory(history) };
    expect(renderText(run, { color: false, width: 100, unicode: true })).toMatch(/\n {2}overlap +▲* 29,99\d ms ▲/);
  });

  test("the pause lies on the paused client, from its start to its end", () => {
    const text = renderText(pausedPastLease(), { color: false, width: 120 });
    expect(lane(text, "  pause-client")).toMatch(/^ +╳{5,}(?:┊╳{3,})+$/);
  });

  test("accepted and refused writes differ", () => {
    expect(lane(renderText(pausedPastLease(), plain), "resource").replaceAll(/[ ┊]/g, "")).toBe("●●○");
  });

  test("the promotion is marked on the promoted node, faults on what they hit", () => {
    const text = renderText(lostInFailover(), plain);
    expect(lane(text, "node-1")).toContain("◆");
    expect(lane(text, "  kill-node")).toContain("╳╳╳");
    expect(lane(text, "node-2")).not.toContain("◆");
  });

  test("nodes that nothing happened to are left out; one kind of fault is named on its node's line", () => {
    expect(renderText(pausedPastLease(), plain)).not.toContain("node-0");
    expect(lane(renderText(jumpOfOneInFive(), plain), "node-3")).toMatch(/^ *╳+ partition ╳+─+$/);
  });

  test("a hold that ended by a notice is no longer drawn after it", () => {
    const text = renderText(releaseAfterLoss(), plain);
    expect(text).toContain("client-0 is notified that its lease is lost");
    expect(lane(text, "client-0")).toMatch(/^ +█▒+$/);
  });

  test("a run without a violation is drawn as a whole, with all its holds", () => {
    const text = renderText(takingTurns(7), { color: false, width: 120 });
    expect(text).toContain("The run\n");
    expect(lane(text, "client-0").match(/█+/g)).toHaveLength(3);
    expect(lane(text, "client-1").match(/█+/g)).toHaveLength(2);
    expect(text).not.toContain("time left out");
  });

  test("a run with very many operations is not drawn as a whole", () => {
    expect(renderText(takingTurns(200), plain)).not.toContain("The run\n");
  });

  test("a violation of each root cause is drawn, of the others there is a line each; of very many there is a count", () => {
    const run = lostInFailover();
    const [violation] = run.verdict.properties["mutual-exclusion"]?.violations ?? [];
    if (violation === undefined) throw new Error("no violation");
    const { overlap: _, ...without } = violation;
    const withCauses = (...causes: readonly Cause[]): string => {
      const violations = Array.from({ length: 30 }, (_, index) => ({
        ...without,
        cause: causes[index % causes.length] ?? without.cause,
        events: [0, index + 1],
      }));
      const properties = { "mutual-exclusion": { verdict: "invalid" as const, violations } };
      return renderText({ ...run, verdict: { ...run.verdict, properties } }, plain);
    };
    const alike = withCauses("double-grant");
    expect(alike.match(/^Violation \d of 30:/gm)).toHaveLength(1);
    expect(alike).toContain("29 further violations\n");
    expect(alike.match(/^ {2}- at \d/gm)).toHaveLength(20);
    expect(alike).toContain("  and 9 more\n");
    const drawn = withCauses("overrun", "double-grant", "eviction", "clock-rate").match(
      /^Violation \d of 30:[^]*?\)$/gm,
    );
    expect(drawn).toHaveLength(3);
    expect(drawn?.join()).not.toContain("overrun");
  });

  test("of many faults those near the violation are told", () => {
    const text = renderText(longRun(120_000), plain);
    expect(text.match(/^ {2}latency on client-1 and node-0/gm)).toHaveLength(12);
    expect(text).toMatch(/^ {2}and \d+ further faults$/m);
  });
});

describe("what servers thought", () => {
  const first = { atNs: 60e6, value: "9f2c51d0aa3be4417c88" };
  const second = { atNs: 170e6, value: "71be02f6c3d9a85e1104" };
  const keys = [
    { server: "node-1", ...first },
    { server: "node-2", ...first },
    { server: "node-2", ...second },
    { server: "node-3", ...second },
  ].map((state) => ({ key: "k1", clockAheadNs: 0, ...state }));
  const wire: WireRecord = {
    format: "lockstorm-wire",
    version: 1,
    messages: [],
    keys,
    replication: [],
    votes: [],
    leftOut: 0,
  };

  test("stands on their lanes, and who voted twice is named", () => {
    const text = renderText({ ...jumpOfOneInFive(), wire }, { color: false, width: 120 });
    expect(lane(text, "node-1")).toMatch(/^ *─+░+ client-0 ░/);
    expect(lane(text, "node-2")).toMatch(/░+ client-0 ░+▓+ votes twice: client-1 ▓/);
    expect(lane(text, "node-3")).toMatch(/─░+ client-1 ░/);
    expect(text).toContain("░ server thinks this client holds   ▓ server votes twice");
    expect(text.split("▓▓ votes twice").length).toBe(2);
  });

  test("leaves the faults of such a lane on lines of their own", () => {
    const text = renderText({ ...jumpOfOneInFive(), wire }, { color: false, width: 120 });
    const plainText = renderText(jumpOfOneInFive(), { color: false, width: 120 });
    expect(lane(plainText, "node-2")).toContain("╳");
    expect(lane(text, "node-2")).not.toContain("╳");
    expect(text).toContain("    clock-jump  ");
  });
});
