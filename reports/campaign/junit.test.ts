import { expect, test } from "vitest";
import { renderJunit } from "./junit.ts";
import {
  EXAMPLE_RUNS,
  faultWithoutEffect,
  lostInFailover,
  pausedPastLease,
  takingTurns,
} from "../testdata/example-runs.ts";

/** The result elements of a case, by the beginning of its name. */
function caseOf(xml: string, name: string): string {
  return new RegExp(`<testcase [^>]*name="${name}[^>]*?(?:/>|>.*?</testcase>)`, "s").exec(xml)?.[0] ?? "";
}

test("a broken required property is a failure with its cause and its explanation", () => {
  const broken = caseOf(renderJunit({ runs: [lostInFailover()] }), "mutual-exclusion");
  expect(broken).toContain('<failure type="lost-in-failover" message="1 violation: the grant was lost in a failover">');
  expect(broken).toContain("client-0 was granted k1 by node-0");
});

test("one that the lock does not claim is skipped, one that holds is empty", () => {
  const xml = renderJunit({ runs: [pausedPastLease()] });
  expect(caseOf(xml, "mutual-exclusion")).toContain("<skipped");
  expect(caseOf(xml, "lease-exclusion")).toMatch(/\/>$/);
  expect(xml).toContain('<testsuite name="pause-past-lease" tests="5" failures="0" errors="0" skipped="1"');
});

test("a run that proves nothing is an error, not green", () => {
  const xml = renderJunit({ runs: [faultWithoutEffect()] });
  expect(caseOf(xml, "the run decides something")).toContain('<error type="unknown"');
  expect(caseOf(xml, "linearizability")).toContain('<error type="unknown"');
  expect(xml).toMatch(/^<\?xml[^\n]*\n<testsuites name="lockstorm" tests="3" failures="0" errors="2" time="[\d.]+">/);
});

test("the table of locks by faults is a suite: a surprise fails, an expected break passes", () => {
  const xml = renderJunit({
    title: "Hunt",
    runs: [takingTurns()],
    summary: {
      cells: [
        { lock: "a", fault: "x", expected: "broken", found: "broken" },
        { lock: "b", fault: "x", expected: "holds", found: "broken", runs: 2, note: "overrun" },
        { lock: "c", fault: "x", expected: "broken", found: "unknown" },
        { lock: "d", fault: "x", expected: "broken", found: "holds", runs: 9 },
      ],
    },
  });
  expect(caseOf(xml, "a under x")).toContain("<system-out>expected broken, found broken</system-out>");
  expect(caseOf(xml, "b under x")).toContain(
    '<failure type="broken" message="expected holds, found broken in 2 runs (overrun)"/>',
  );
  expect(caseOf(xml, "c under x")).toContain("<error");
  // A flaw that the search did not show proves nothing.
  expect(caseOf(xml, "d under x")).toContain('<error type="holds" message="expected broken, found holds in 9 runs');
  expect(xml).toContain('<testsuites name="Hunt" tests="7" failures="1" errors="2" time="');
});

/** The times of suites and of cases, in order. */
function timesIn(xml: string, tag: "testsuites" | "testsuite" | "testcase"): readonly (number | undefined)[] {
  return [...xml.matchAll(new RegExp(`<${tag} [^>]*>`, "g"))].map(([element]) => {
    const time = / time="([^"]*)"/.exec(element)?.[1];
    return time === undefined ? undefined : Number(time);
  });
}

test("the cases of a run share its length, and skipped ones have no time", () => {
  const run = pausedPastLease();
  const xml = renderJunit({ runs: [run] });
  const seconds = (run.history.events.at(-1)?.time ?? 0) / 1e9;
  expect(seconds).toBeGreaterThan(0);
  expect(timesIn(xml, "testsuite")).toEqual([Number(seconds.toFixed(3))]);
  const shares = timesIn(xml, "testcase");
  expect(shares.filter((time) => time === undefined)).toHaveLength(1);
  expect(shares.reduce((sum: number, time) => sum + (time ?? 0), 0)).toBeCloseTo(seconds, 2);
});

test("a hunt that held is a suite with a case for each property, which share the time that it took", () => {
  const held = [
    { property: "mutual-exclusion", runs: 90 },
    { property: "fencing-tokens", runs: 70 },
  ] as const;
  const hunt = { lock: "fenced", topology: "single", fault: "reset", expected: "holds", runs: 91, valid: 90 } as const;
  const green = renderJunit({ runs: [], summary: { cells: [{ ...hunt, found: "holds", held, elapsedMs: 6000 }] } });
  expect(green).toContain('<testsuite name="fenced on single under reset" tests="3" failures="0" errors="0"');
  expect(timesIn(green, "testcase")).toEqual([2, 2, 2]);
  expect(timesIn(green, "testsuites")).toEqual([6]);
  expect(caseOf(green, "fencing-tokens: ")).toContain("<system-out>valid in 70 of 91 runs</system-out>");
  const open = renderJunit({ runs: [], summary: { cells: [{ ...hunt, found: "unknown", held, elapsedMs: 6000 }] } });
  expect(caseOf(open, "fenced under reset")).toContain('<error type="unknown"');
});

test("a cell of the table has the time that its runs took; without one there is no time", () => {
  const cells = [
    { lock: "a", fault: "x", found: "holds", elapsedMs: 1500 },
    { lock: "b", fault: "x", found: "holds", elapsedMs: 250 },
  ] as const;
  const xml = renderJunit({ runs: [], summary: { cells } });
  expect(timesIn(xml, "testcase")).toEqual([1.5, 0.25]);
  expect(timesIn(xml, "testsuite")).toEqual([1.75]);
  const unmeasured = renderJunit({ runs: [], summary: { cells: [{ lock: "a", fault: "x", found: "holds" }] } });
  expect(unmeasured).not.toContain("time=");
});

test("a run that is not valid comes with its whole report", () => {
  expect(renderJunit({ runs: [lostInFailover()] })).toContain("<system-out>INVALID  async-failover\n");
  expect(renderJunit({ runs: [takingTurns()] })).not.toContain("<system-out>");
});

test("markup and control characters of a history stay text", () => {
  const run = { ...lostInFailover(), title: `<a b="c">&\u0001\ud800]]>` };
  const xml = renderJunit({ runs: [run] });
  expect(xml).toContain("&lt;a b=&quot;c&quot;&gt;&amp;\u{fffd}\u{fffd}]]&gt;");
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  expect(xml).not.toMatch(/[\u0000-\u0008]/);
});

test("elements open and close in order", () => {
  const xml = renderJunit({ runs: Object.values(EXAMPLE_RUNS).map((make) => make()) });
  const open: string[] = [];
  for (const [, closing, name, , empty] of xml.matchAll(/<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g)) {
    if (closing === "/") expect(open.pop()).toBe(name);
    else if (empty !== "/") open.push(name ?? "");
  }
  expect(open).toEqual([]);
  expect(xml.match(/<testcase /g)?.length).toBeGreaterThan(20);
});

/** Elements with their attributes and children, as the JUnit schema of the Jenkins plug-in has them. */
const SCHEMA: Readonly<Record<string, { readonly attributes: readonly string[]; readonly within: readonly string[] }>> =
  {
    testsuites: { attributes: ["name", "time", "tests", "failures", "disabled", "errors"], within: [""] },
    testsuite: {
      attributes: ["name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package"],
      within: ["testsuites"],
    },
    properties: { attributes: [], within: ["testsuite"] },
    property: { attributes: ["name", "value"], within: ["properties"] },
    testcase: { attributes: ["name", "classname", "time", "assertions", "status"], within: ["testsuite"] },
    skipped: { attributes: ["type", "message"], within: ["testcase"] },
    failure: { attributes: ["type", "message"], within: ["testcase"] },
    error: { attributes: ["type", "message"], within: ["testcase"] },
    "system-out": { attributes: [], within: ["testsuite", "testcase"] },
  };

test("it has the elements and attributes that readers of JUnit know, each where it belongs, counts that add up", () => {
  const cells = [
    { lock: "a", fault: "x", expected: "holds", found: "broken" },
    { lock: "b", fault: "x", found: "unknown" },
  ] as const;
  const missing = { cells: 1, reason: "the budget was used up" };
  const xml = renderJunit({ runs: Object.values(EXAMPLE_RUNS).map((make) => make()), summary: { cells, missing } });
  const open: string[] = [""];
  for (const [, closing, name = "", attributes = "", empty] of xml.matchAll(
    /<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g,
  )) {
    if (closing === "/") open.pop();
    else {
      expect(SCHEMA[name]?.within, name).toContain(open.at(-1));
      for (const [, attribute] of attributes.matchAll(/ ([a-z]+)="/g))
        expect(SCHEMA[name]?.attributes, name).toContain(attribute);
      if (empty !== "/") open.push(name);
    }
  }
  const suites = [...xml.matchAll(/<testsuite .*? tests="(\d+)" failures="(\d+)" errors="(\d+)" skipped="(\d+)"/g)];
  const sums = [1, 2, 3].map((column) => suites.reduce((sum, found) => sum + Number(found[column]), 0));
  const [tests, failures, errors] = sums;
  expect(xml).toContain(`tests="${tests}" failures="${failures}" errors="${errors}" time="`);
  expect(xml.match(/<testcase /g)).toHaveLength(tests ?? 0);
  expect(xml.match(/<failure /g)).toHaveLength(failures ?? 0);
  expect(xml.match(/<error /g)).toHaveLength(errors ?? 0);
});
