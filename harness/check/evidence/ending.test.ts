import { describe, expect, test } from "vitest";
import { type EndMarker, type History, INVALID_ANSWER, ONE_OF_SEVERAL } from "../../history/history.ts";
import type { Verdict } from "../../core/verdict.ts";
import { ENDLESS_TTL_MS } from "../../history/holds/endless-lease.ts";
import { checkHistory, type CheckOptions } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const MS = 1_000_000;
const LIMIT = { run: "limit", at: 10_000 * MS, sections: { planned: 8, done: 3 } } as const;

/** Two clients that meet and do nothing wrong. */
const met = (facts = {}): Recording =>
  new Recording({ version: 2, clients: 2, ...facts })
    .acquire(1, 0, "a")
    .fail(5, 1)
    .release(10, 0, "a")
    .acquire(20, 1, "b")
    .release(30, 1, "b");

/** Two clients that hold at once. */
const broken = (): Recording =>
  new Recording({ version: 2, clients: 2 }).acquire(1, 0, "a").acquire(5, 1, "b").release(9, 0, "a");

function ended({ history }: Recording, value: EndMarker["value"]): History {
  const { length } = history.events;
  return { ...history, end: { index: length, time: value.at, process: "harness", type: "end", value } };
}

function judged(history: History, options: CheckOptions = {}): Pick<Verdict, "verdict" | "reasons" | "remarks"> {
  const { verdict, reasons, remarks } = checkHistory(history, { required: ["mutual-exclusion"], ...options });
  return { verdict, reasons, remarks };
}

describe.each([true, false])("a history (from elsewhere: %s)", (foreign) => {
  test("that is marked as completed is judged by its properties", () => {
    const end = { run: "completed", at: 40 * MS, sections: { planned: 3, done: 3 } } as const;
    expect(judged(ended(met(), end), { foreign })).toEqual({ verdict: "valid", reasons: [], remarks: [] });
  });

  test.each([
    [undefined, "its end marker is missing"],
    [12, "line 12, the last one, is truncated"],
  ])("that lost its end is unknown (cut line: %s)", (cutLine, why) => {
    const history = { ...met().history, ...(cutLine === undefined ? {} : { cutLine }) };
    const reasons = [`the history is truncated: ${why}; everything after 31 ms is lost`];
    expect(judged(history, { foreign })).toEqual({ verdict: "unknown", reasons, remarks: [] });
  });

  test("that lost its end still proves what it shows", () => {
    const { verdict, reasons } = judged(broken().history, { foreign });
    expect([verdict, reasons]).toEqual(["invalid", [expect.stringContaining("the history is truncated")]]);
  });

  test("that was stopped for a reason of its own is unknown, with that reason", () => {
    const end = { ...LIMIT, reason: "client-0 sent 2000 messages to node-0 within 300 ms" };
    const reasons = [`the run was stopped at 10,000 ms, with 3 of 8 critical sections done: ${end.reason}`];
    expect(judged(ended(met(), end), { foreign })).toMatchObject({ verdict: "unknown", reasons });
    expect(judged(ended(broken(), end), { foreign }).verdict).toBe("invalid");
  });

  test("of which nothing but the header is left is unknown", () => {
    const { verdict, reasons } = judged(new Recording({ version: 2 }).history, { foreign });
    expect(verdict).toBe("unknown");
    expect(reasons[0]).toMatch(/truncated/);
  });

  test.each([
    ["interrupted", undefined, "the run was interrupted at 10,000 ms, with 3 of 8 critical sections done"],
    [
      "failed",
      "Toxiproxy died",
      "the run could not go on at 10,000 ms, with 3 of 8 critical sections done: Toxiproxy died",
    ],
  ] as const)("of a run that was %s is unknown", (run, reason, words) => {
    const end = { ...LIMIT, run, ...(reason === undefined ? {} : { reason }) };
    expect(judged(ended(met(), end), { foreign })).toEqual({ verdict: "unknown", reasons: [words], remarks: [] });
    expect(judged(ended(broken(), end), { foreign }).verdict).toBe("invalid");
  });
});

test("a history of version 1 is judged as ever, and who did not record it is told what is not known", () => {
  const history = met({ version: 1 }).history;
  expect(judged(history)).toEqual({ verdict: "valid", reasons: [], remarks: [] });
  const { verdict, remarks } = judged(history, { foreign: true });
  expect([verdict, remarks]).toEqual(["valid", [expect.stringContaining("version 1 have no end marker")]]);
  expect(judged(met({ version: 1, source: "jepsen" }).history, { foreign: true }).remarks).toEqual([]);
});

test.each([
  [1, "valid"],
  [4, "not-applicable"],
])("with 3 tries answered and %i not, deadlock freedom is %s", (unanswered, outcome) => {
  const recording = met();
  for (let number = 0; number < unanswered; number += 1) recording.seek(40 + number, 2 + 2 * number);
  const { verdict, reason } = checkHistory(recording.history).properties["deadlock-freedom"] ?? {};
  expect(verdict).toBe(outcome);
  if (outcome === "not-applicable")
    expect(reason).toBe('only 3 of 7 attempts to acquire got the lock, or failed with the reason "contended"');
});

test("a try that was refused because another of its keys was held is answered", () => {
  const recording = met();
  for (let number = 0; number < 4; number += 1)
    recording.seek(40 + number, 2).refused(40.5 + number, 2, ONE_OF_SEVERAL);
  expect(checkHistory(recording.history).properties["deadlock-freedom"]?.verdict).toBe("valid");
});

describe("a run that came to its limit", () => {
  const came = "the run reached its time limit at 10,000 ms, with 3 of 8 critical sections done";

  test("with sections undone and no fault is unknown", () => {
    const reasons = [`${came}, and no fault explains it`];
    expect(judged(ended(met(), LIMIT))).toEqual({ verdict: "unknown", reasons, remarks: [] });
  });

  test("with all done is judged by its properties", () => {
    expect(judged(ended(met(), { ...LIMIT, sections: { planned: 8, done: 8 } })).verdict).toBe("valid");
  });

  const FOR_EVER = { ttlMs: ENDLESS_TTL_MS };

  test.each([
    [
      "an acquire of unknown outcome",
      met().seek(40, 0, FOR_EVER).info(60, 0, "acquire"),
      "the acquire of k by client-0 at 40 ms, of unknown outcome, may have taken a lock that no lease ends",
    ],
    [
      "an acquire of unknown outcome that may take it after others had it",
      met().seek(40, 0, FOR_EVER).info(60, 0, "acquire").acquire(80, 1, "d", FOR_EVER).release(90, 1, "d"),
      "the acquire of k by client-0 at 40 ms, of unknown outcome, may have taken a lock that no lease ends",
    ],
    [
      "a release of unknown outcome",
      met().acquire(40, 0, "c", FOR_EVER).leave(60, 0, "c").info(80, 0, "release"),
      "the release of k by client-0 at 60 ms, of unknown outcome, may not have freed a lock that no lease ends",
    ],
    [
      "a holder that goes on",
      met().acquire(40, 0, "c", FOR_EVER).fail(60, 1),
      "client-0 has held k since 41 ms, and no lease ends its hold",
    ],
  ])("because of %s of a lock without leases is judged by its properties", (_, recording, why) => {
    expect(judged(ended(recording, LIMIT))).toEqual({ verdict: "valid", reasons: [], remarks: [`${came}: ${why}`] });
  });

  test("is unknown where a lock without leases was released, and where a lease ends what is left", () => {
    const reasons = [`${came}, and no fault explains it`];
    const released = met().acquire(40, 0, "c", FOR_EVER).release(60, 0, "c").fail(80, 1);
    const leased = met().seek(40, 0).info(60, 0, "acquire");
    const granted = met()
      .acquire(40, 0, "c", FOR_EVER)
      .leave(60, 0, "c")
      .info(70, 0, "release")
      .acquire(80, 1, "d", FOR_EVER)
      .release(90, 1, "d");
    for (const recording of [released, leased, granted])
      expect(judged(ended(recording, LIMIT))).toEqual({ verdict: "unknown", reasons, remarks: [] });
  });

  test("names the operation that a client had no answer to for most of the time", () => {
    const open = met().acquire(40, 0, "c").leave(100, 0, "c");
    const operation = "release of k by client-0 was not answered for";
    expect(judged(ended(open, LIMIT)).reasons).toEqual([`${came}, and no fault explains it: ${operation} 9,900 ms`]);
    const twice = open.info(5100, 0, "release").acquire(5200, 2, "d").leave(5300, 2, "d").info(8300, 2, "release");
    const inAll = "5,000 ms, and operations of this client for 8,000 ms in all";
    expect(judged(ended(twice, LIMIT)).reasons).toEqual([`${came}, and no fault explains it: ${operation} ${inAll}`]);
  });

  test("names the client that had no answer for longest, and counts no operation that failed", () => {
    const two = met().acquire(40, 0, "c").leave(100, 0, "c").seek(2000, 1);
    const operation = "release of k by client-0 was not answered for 9,900 ms";
    expect(judged(ended(two, LIMIT)).reasons).toEqual([`${came}, and no fault explains it: ${operation}`]);
    expect(judged(ended(met().seek(40, 0).refused(9000, 0, "error"), LIMIT)).reasons).toEqual([
      `${came}, and no fault explains it`,
    ]);
  });

  test("names no acquire that may wait as long for another holder, and none that took a short time", () => {
    for (const open of [met().seek(100, 0, { waitMs: 9000 }), met().seek(100, 0).info(3000, 0, "acquire")])
      expect(judged(ended(open, LIMIT)).reasons).toEqual([`${came}, and no fault explains it`]);
  });

  test("names the client whose acquires, one after the other, nobody could tell the outcome of", () => {
    const vain = (from: number): Recording =>
      [0, 1, 2].reduce((recording, row) => {
        const [atMs, process] = [from + 2000 * row, 2 * row];
        return recording.seek(atMs, process, { waitMs: 1500 }).info(atMs + 1900, process, "acquire");
      }, met());
    const why = "all acquires of k by client-0 within 5,900 ms ended as info, the last one with: timed out";
    expect(judged(ended(vain(100), LIMIT)).reasons).toEqual([`${came}, and no fault explains it: ${why}`]);
    const wrong = { reason: INVALID_ANSWER, detail: "`owner` is empty" };
    const { events, ...rest } = ended(vain(100), LIMIT);
    const answered = {
      ...rest,
      events: events.map((each) => (each.type === "info" ? { ...each, value: wrong } : each)),
    };
    expect(judged(answered as History).reasons.at(-1)).toMatch(/ ended as info, the last one with: `owner` is empty$/);
    const granted = vain(100).acquire(6100, 6, "c").release(6200, 6, "c");
    expect(judged(ended(granted, LIMIT)).reasons).toEqual([`${came}, and no fault explains it`]);
    const short = met().seek(100, 0, { waitMs: 1500 }).info(2000, 0, "acquire");
    expect(judged(ended(short, LIMIT)).reasons).toEqual([`${came}, and no fault explains it`]);
  });

  const heal = { phase: "heal" } as const;
  test.each([
    ["a fault that is never healed", met().fault(100, "partition"), /partition.* was still in force$/],
    ["one healed when the run is over", met().fault(100, "stall").fault(10_001, "stall", heal), /was still in force$/],
    ["a node that stays down", met().fault(9000, "kill-node"), /kill-node.* was still in force$/],
    ["a dead client", met().fault(100, "kill-client"), /kill-client.* ended clients early$/],
    [
      "faults for most of the time",
      met().fault(100, "stall").fault(5200, "stall", heal),
      /took much of the run's time$/,
    ],
  ])("explained by %s is judged, and remarked", (_, recording, why) => {
    const { verdict, reasons, remarks } = judged(ended(recording, LIMIT));
    expect([verdict, reasons]).toEqual(["valid", []]);
    expect(remarks).toEqual([expect.stringMatching(why)]);
    expect(remarks[0]).toContain(came);
  });

  const twice = met().fault(100, "stall").fault(200, "latency");
  test.each([
    ["a fault that was healed early", met().fault(100, "stall").fault(3000, "stall", heal)],
    ["faults that lay over each other", twice.fault(2600, "stall", heal).fault(2700, "latency", heal)],
    ["a fault that is over at once", met().fault(100, "eviction")],
    ["a node that was soon started again", met().fault(100, "kill-node").fault(300, "kill-node", heal)],
    ["a fault that came after it", met().fault(10_001, "partition")],
  ])("is not explained by %s", (_, recording) => {
    expect(judged(ended(recording, LIMIT)).reasons).toEqual([`${came}, and no fault explains it`]);
  });

  test("is not explained by a fault that was skipped", () => {
    const recording = met().fault(100, "partition", { outcome: "skipped" });
    expect(judged(ended(recording, LIMIT)).reasons[0]).toBe(`${came}, and no fault explains it`);
  });

  test.each([
    [3, "not-applicable"],
    [4, "valid"],
  ])("with %i of 8 sections done, deadlock freedom is %s", (done, outcome) => {
    const history = ended(met(), { ...LIMIT, sections: { planned: 8, done } });
    expect(checkHistory(history).properties["deadlock-freedom"]?.verdict).toBe(outcome);
    const completed = ended(met(), { ...LIMIT, run: "completed", sections: { planned: 8, done } });
    expect(checkHistory(completed).properties["deadlock-freedom"]?.verdict).toBe("valid");
  });
});
