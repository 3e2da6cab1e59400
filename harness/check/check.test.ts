import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseHistory } from "../history/history-reader.ts";
import type { History } from "../history/history.ts";
import { checkHistory } from "./check.ts";
import { allCheckers } from "./checkers.ts";
import type { CheckerFactory } from "./checker.ts";
import { Recording } from "./testing/recording.ts";

const HEADER = `{"format":"lockstorm-history","version":1,"clients":2}`;

function history(...events: readonly object[]): History {
  const lines = events.map((event, index) => JSON.stringify({ index, time: index * 1_000_000, ...event }));
  return parseHistory([HEADER, ...lines].join("\n"), "test");
}

const seek = (process: number): object => ({
  process,
  type: "invoke",
  f: "acquire",
  key: "k",
  value: { ttlMs: 1000 },
});
const granted = (process: number, owner: string): object => ({
  process,
  type: "ok",
  f: "acquire",
  key: "k",
  value: { owner, validForMs: 900 },
});
const contended = { process: 1, type: "fail", f: "acquire", key: "k", value: { reason: "contended" } };
const fault = (outcome: string): object => ({
  process: "nemesis",
  type: "fault",
  f: "reset",
  value: { phase: "start", targets: ["node-0"], outcome, evidence: "no connection was reset" },
});

const alone = [seek(0), granted(0, "a")];
const met = [...alone, seek(1), contended];
const release = { process: 0, type: "invoke", f: "release", key: "k", value: { owner: "a" } };
const broken = [...alone, seek(1), granted(1, "b"), release];

describe("checkHistory", () => {
  it("finds nothing wrong with a lock that refuses the second", () => {
    expect(checkHistory(history(...met))).toMatchObject({ verdict: "valid", reasons: [] });
  });

  it("finds two holders", () => {
    expect(checkHistory(history(...broken))).toMatchObject({ verdict: "invalid" });
  });

  it("knows nothing of a history without events", () => {
    const verdict = checkHistory(history());
    expect(verdict.verdict).toBe("unknown");
    expect(verdict.reasons).toContain("the history holds no events");
    expect(checkHistory(history(), { foreign: true }).verdict).toBe("unknown");
  });

  it("knows nothing when no lock was ever contended", () => {
    expect(checkHistory(history(...alone))).toMatchObject({
      verdict: "unknown",
      reasons: ["no lock was ever contended"],
    });
  });

  it.each(["skipped", "indeterminate"])("knows nothing when a fault was %s", (outcome) => {
    const verdict = checkHistory(history(...met, fault(outcome)));
    expect(verdict.verdict).toBe("unknown");
    expect(verdict.reasons).toEqual([expect.stringContaining("no connection was reset")]);
  });

  it("takes a fault that was seen", () => {
    expect(checkHistory(history(...met, fault("installed"))).verdict).toBe("valid");
  });

  it("finds two holders even if other properties are undecided", () => {
    expect(checkHistory(history(...broken, fault("skipped"))).verdict).toBe("invalid");
  });

  it("only remarks upon such doubts in a history from elsewhere", () => {
    const verdict = checkHistory(history(...alone, fault("skipped")), { foreign: true });
    expect(verdict).toMatchObject({ verdict: "valid", reasons: [] });
    expect(verdict.remarks).toEqual([
      "histories of version 1 have no end marker, so it is unknown whether this one is complete",
      expect.stringContaining("reset"),
      "no lock was ever contended",
    ]);
  });

  it("counts required properties only", () => {
    const verdict = checkHistory(history(...broken), { required: ["fencing-tokens", "owner-release"] });
    expect(verdict.properties["mutual-exclusion"]?.verdict).toBe("invalid");
    expect(verdict.verdict).not.toBe("invalid");
  });

  it("knows nothing when no required property is spoken of", () => {
    const verdict = checkHistory(history(...met), { required: ["fencing-tokens"] });
    expect(verdict).toMatchObject({
      verdict: "unknown",
      reasons: ["no event of the history concerns a required property"],
    });
  });

  it("says that nothing is required, where the lock promises nothing", () => {
    expect(checkHistory(history(...met), { required: [] })).toMatchObject({
      verdict: "unknown",
      reasons: ["no property is required: the lock promises none in this run"],
    });
  });

  it("knows nothing of a required property that nobody checks", () => {
    const some = allCheckers().filter(({ property }) => property === "mutual-exclusion");
    const verdict = checkHistory(history(...met), { checkers: some, required: ["fencing-tokens"] });
    expect(verdict.verdict).toBe("unknown");
  });
});

describe("a checker that throws", () => {
  const throwing = (where: "create" | "push" | "finish"): CheckerFactory => ({
    property: "owner-release",
    create: () => {
      if (where === "create") throw new Error("out of order");
      return {
        push: () => {
          if (where === "push") throw new Error("out of order");
        },
        finish: () => {
          throw new Error("out of order");
        },
      };
    },
  });

  it.each(["create", "push", "finish"] as const)("in %s makes its property unknown, and no other", (where) => {
    const [first] = allCheckers();
    const verdict = checkHistory(history(...met), { checkers: [first!, throwing(where)] });
    expect(verdict.properties["owner-release"]).toEqual({
      verdict: "unknown",
      violations: [],
      reason: "the checker failed: out of order",
    });
    expect(verdict.properties["mutual-exclusion"]?.verdict).toBe("valid");
    expect(verdict.verdict).toBe("unknown");
  });
});

describe("a violation", () => {
  it("names the holders, the pause, the times and what to do", () => {
    const name =
      "mutual-exclusion=invalid+overrun,lease-exclusion=valid,fencing-tokens=valid,stale-writes=valid.overrun-after-pause.jsonl";
    const text = readFileSync(new URL(`testdata/${name}`, import.meta.url), "utf8");
    const [violation] = checkHistory(parseHistory(text, name)).properties["mutual-exclusion"]?.violations ?? [];
    expect(violation).toMatchObject({
      events: [1, 4, 6],
      fault: 4,
      holders: [
        { process: 0, owner: "aaaa", fence: 1 },
        { process: 1, owner: "bbbb", fence: 2 },
      ],
      overlap: { from: 1_101_000_000, to: 1_300_000_000 },
    });
    expect(violation?.explanation).toBe(
      "Two clients held k at the same time for 199 ms. client-0 (process 0, owner aaaa, fencing token 1) was granted it " +
        "at 1 ms and held it until 1,300 ms; client-1 (process 1, owner bbbb, fencing token 2) was granted it at 1,101 ms. " +
        "The lease of client-0 had ended at 991 ms, so the lock kept its promise and was free to grant the key to another client; client-0 " +
        "had outlived its lease by 110 ms then. Probably: client-0 was stopped by pause-client at 10 ms (event 4) and could not " +
        "notice. This is only probable, because no run without it was made for comparison. A resource that checks " +
        "fencing tokens would probably have rejected the late write.",
    );
  });
});

describe("many violations", () => {
  it("are listed up to a hundred and counted beyond", () => {
    const events: object[] = [];
    for (const key of ["k1", "k2"]) {
      const round: object[] = [...alone];
      for (let other = 0; other < 75; other += 1) round.push(seek(1), granted(1, `b${other}`));
      events.push(...[...round, release].map((event) => ({ ...event, key })));
      events.push({ process: 0, type: "ok", f: "release", key, value: { released: true } });
    }
    const { properties, remarks } = checkHistory(history(...events));
    expect(properties["mutual-exclusion"]?.violations).toHaveLength(100);
    expect(remarks).toContain("50 more violations of mutual-exclusion are not listed");
  });
});

it("tells owner values apart that begin alike", () => {
  const recording = new Recording({ clients: 2 })
    .acquire(0, 0, "host-1:4711:1")
    .acquire(10, 1, "host-1:4711:2")
    .release(20, 1, "host-1:4711:2")
    .release(30, 0, "host-1:4711:1");
  const { properties } = checkHistory(recording.history);
  for (const property of ["mutual-exclusion", "lease-exclusion", "linearizability"] as const) {
    const told = properties[property]?.violations[0]?.explanation;
    expect(told).toContain("host-1:4…1");
    expect(told).toContain("host-1:4…2");
  }
});
