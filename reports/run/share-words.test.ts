import { expect, test } from "vitest";
import { checkHistory } from "../../harness/check/check.ts";
import { Recording } from "../../harness/check/testing/recording.ts";
import type { History } from "../../harness/history/history.ts";
import { renderReport } from "../formats.ts";
import { renderHtml } from "../html/html.ts";
import type { RunRecord } from "./run-record.ts";
import { renderText } from "./text.ts";

function recordOf(history: History): RunRecord {
  return { title: "shared", history, verdict: checkHistory(history) };
}

/** The words on the bars of holds in the pictures of a page. */
function onBars(run: RunRecord): ReadonlySet<string> {
  const found = renderHtml({ runs: [run] }).matchAll(/<text class="share-label"[^>]*>([^<]*)</g);
  return new Set([...found].map(([, says = ""]) => says));
}

function inTerminal(run: RunRecord): string {
  return renderText(run, { color: false, width: 100, unicode: true });
}

const modal = new Recording({ clients: 2, backend: "simulated" })
  .acquire(0, 0, "a", { mode: "exclusive" })
  .acquire(100, 1, "b", { mode: "shared" })
  .release(600, 0, "a")
  .release(700, 1, "b");

const counted = new Recording({ clients: 2, backend: "simulated" })
  .acquire(0, 0, "a", { permits: 2, limit: 3 })
  .acquire(100, 1, "b", { permits: 2, limit: 3 })
  .release(600, 0, "a")
  .release(700, 1, "b");

const alone = new Recording({ clients: 2, backend: "simulated" })
  .acquire(0, 0, "a")
  .acquire(100, 1, "b")
  .release(600, 0, "a")
  .release(700, 1, "b");

test("the bars of a read-write lock say who reads and who writes", () => {
  const run = recordOf(modal.history);
  expect(inTerminal(run)).toMatch(/client-0 .*█ writer █.*\n.*\n?.*client-1 .*█ reader █/);
  expect(onBars(run)).toEqual(new Set(["writer", "reader"]));
});

test("those of a semaphore say how many permits a holder has", () => {
  const run = recordOf(counted.history);
  expect(inTerminal(run)).toMatch(/█ 2 permits █/);
  expect(onBars(run)).toEqual(new Set(["2 permits"]));
});

test("where the holders had another key as well, the bars and the moments name the key", () => {
  const { history } = new Recording({ clients: 2, backend: "simulated" })
    .on("k2")
    .acquire(0, 0, "c")
    .release(300, 0, "c")
    .on("k1")
    .acquire(310, 0, "a")
    .acquire(600, 1, "b")
    .release(800, 0, "a")
    .release(900, 1, "b");
  const run = recordOf(history);
  expect(inTerminal(run)).toMatch(/client-0 .*█ k1 █.*\n.*\n.*\n *client-1 .*█ k1 █/);
  expect(inTerminal(run)).toContain("client-0 calls release of k2 (held");
  expect(inTerminal(run)).toContain("client-0 calls release of k1 (held");
  expect(onBars(run)).toEqual(new Set(["k1"]));
});

test("the keys of one acquisition are named together", () => {
  const keys = { k1: { alsoKeys: ["k2"] }, k2: { alsoKeys: ["k1"] } };
  const { history } = new Recording({ clients: 2, backend: "simulated" })
    .on("k1")
    .seek(0, 0, keys.k1)
    .on("k2")
    .seek(0, 2, keys.k2)
    .on("k1")
    .granted(1, 0, "a")
    .on("k2")
    .granted(1, 2, "a")
    .acquire(400, 1, "b")
    .release(600, 1, "b");
  expect(inTerminal(recordOf(history))).toMatch(/client-0 .*█ k1, k2 █/);
});

test("those of a lock with one holder say nothing", () => {
  const run = recordOf(alone.history);
  expect(run.verdict.verdict).toBe("invalid");
  expect(inTerminal(run)).not.toMatch(/writer|reader|permit/);
  expect(onBars(run)).toEqual(new Set());
});

type Sharing = { readonly mode: "exclusive" | "shared" } | { readonly permits: number; readonly limit: number };

/** The reports that say what a property asks. */
const MEANINGS: readonly string[] = ["html", "junit", "sarif", "code-quality"];
const REPORTS = ["text", "html", "markdown", "junit", "annotations", "sarif", "code-quality", "svg"] as const;

/** What each report says of two clients that hold at the same time. */
function saidOf(one: Sharing | undefined, other: Sharing | undefined): readonly string[] {
  const { history } = new Recording({ clients: 2, backend: "simulated" })
    .acquire(0, 0, "a", one)
    .acquire(100, 1, "b", other)
    .release(600, 0, "a")
    .release(700, 1, "b");
  const run = { title: "two", history, verdict: checkHistory(history, { required: ["mutual-exclusion"] }) };
  return REPORTS.map((format) => {
    const said = renderReport({ runs: [run] }, format, { color: false, width: 140 }) ?? "";
    return said.replaceAll(/\s+/g, " ");
  });
}

test.each([
  ["a lock", undefined, undefined, /the lock was granted twice/i],
  ["a semaphore", { permits: 2, limit: 3 }, { permits: 2, limit: 3 }, /more permits were granted than there are/i],
  ["a read-write lock", { mode: "exclusive" }, { mode: "shared" }, /the lock was granted to a writer and to a reader/i],
  ["a lock with two writers", { mode: "exclusive" }, { mode: "exclusive" }, /the lock was granted twice/i],
] as const)("what %s granted is said of it", (_, one, other, words) => {
  for (const [index, said] of saidOf(one, other).entries()) {
    // Those for tools tell what the lock did in words of their own.
    if (!/sarif|quality/.test(REPORTS[index] ?? "")) expect(said).toMatch(words);
    if (!words.source.includes("twice")) expect(said).not.toMatch(/granted twice/i);
  }
});

test.each([
  ["a lock", undefined, /at most one client holds the lock at a time/],
  ["a semaphore", { permits: 2, limit: 3 }, /no more permits are held at a time than there are/],
  ["a read-write lock", { mode: "exclusive" }, /while a writer holds the lock, no other client does/],
] as const)("mutual-exclusion of %s asks what it can keep", (_, sharing, words) => {
  const said = saidOf(sharing, sharing).filter((_, index) => MEANINGS.includes(REPORTS[index] ?? ""));
  expect(said).toHaveLength(MEANINGS.length);
  for (const report of said) {
    expect(report).toMatch(words);
    if (sharing !== undefined) expect(report).not.toMatch(/at most one client/);
  }
});

test("a lock that was only seen to have no expiry is not said to have been refused", () => {
  const seen = new Recording({ clients: 2 }).acquire(0, 0, "a").observe(10, 1, -1).release(20, 0, "a");
  const title = (recording: Recording): string | undefined =>
    /^Violation: deadlock-freedom, ([^(]*)/m
      .exec(inTerminal(recordOf(recording.history)))?.[1]
      ?.replaceAll(/\s+/g, " ");
  expect(title(seen)).toBe("the lock's key has no expiry, or one that is too long ");
  const refused = new Recording({ clients: 2 }).acquire(0, 0, "a").release(20, 0, "a").fail(9000, 1);
  expect(title(refused)).toBe("a lock was refused although no client had held it for a long time ");
});
