import { expect, test } from "vitest";
import { Recording } from "../check/testing/recording.ts";
import type { Violation } from "../core/verdict.ts";
import { deniedHolder, probedIn } from "./denied-holder.ts";
import { probeReason } from "../client/altered-driver.ts";

/** Client 0 is granted the lock, and a release at 100 ms tells it that it holds nothing. */
function denied(before: (recording: Recording) => Recording, after?: (recording: Recording) => Recording) {
  const held = before(new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 900 }));
  const { history } = (after ?? ((it) => it))(held.release(100, 0, "a", false));
  const answer = history.events.findIndex(({ type, f, process }) => type === "ok" && f === "release" && process === 0);
  return deniedHolder({ finding: { account: "", events: [1, answer - 1, answer] } } as unknown as Violation, history);
}

test("a try of another owner shows whether a holder was told the truth", () => {
  expect(denied((it) => it)).toEqual({ client: 0, ordinal: 1, key: "k", invoked: 2 });
  expect(denied((it) => it.fault(5, "eviction").fault(6, "pause-client"))).toBeDefined();
});

test("it shows nothing where somebody else may have the lock", () => {
  expect(denied((it) => it.acquire(50, 1, "b"))).toBeUndefined();
  expect(denied((it) => it.seek(50, 1))).toBeUndefined();
});

test("it shows nothing where another client may have extended its lease into the hold", () => {
  expect(denied((it) => it.extend(50, 1, "b"))).toBeUndefined();
  expect(denied((it) => it.seekExtension(50, 1, "b", 1000).failExtension(51, 1))).toBeDefined();
  expect(denied((it) => it.extend(50, 0, "a"))).toBeDefined();
  expect(denied((it) => it.renewed(50, 1, "b", 900))).toBeUndefined();
});

test("it shows nothing where another client may have released the lock at the same time", () => {
  expect(denied((it) => it.leave(99, 1, "b"))).toBeUndefined();
  expect(denied((it) => it.leave(50, 1, "b").info(60, 1, "release"))).toBeUndefined();
  expect(denied((it) => it.release(50, 1, "b", false))).toBeDefined();
  expect(denied((it) => it.leave(50, 0, "z").info(60, 0, "release"))).toBeDefined();
});

test("it shows nothing where a fault may have left an older copy of the lock", () => {
  expect(denied((it) => it.fault(5, "promotion"))).toBeUndefined();
  expect(denied((it) => it.fault(5, "power-loss"))).toBeUndefined();
});

test("it shows nothing of what a fault does to the release, or to servers at that time", () => {
  expect(
    denied(
      (it) => it,
      (it) => it.fault(100, "eviction"),
    ),
  ).toBeUndefined();
  expect(
    denied(
      (it) => it,
      (it) => it.fault(5000, "eviction"),
    ),
  ).toBeDefined();
  // A fault may be recorded later than it took effect.
  expect(
    denied(
      (it) => it,
      (it) => it.fault(600, "eviction"),
    ),
  ).toBeUndefined();
  const cut = (it: Recording): Recording => it.fault(5, "partition");
  expect(denied(cut)).toBeUndefined();
  expect(denied((it) => cut(it).fault(50, "partition", { phase: "heal" }))).toBeDefined();
});

/** What the try in place of that release found, if it was refused, and this was done after its beginning. */
function probed(meanwhile: (recording: Recording) => Recording) {
  const asked = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs: 900 }).leave(100, 0, "a");
  const { header, events } = meanwhile(asked).failRelease(110, 0).history;
  const value = { reason: probeReason("held") };
  const told = events.map((event) => (event.type === "fail" && event.f === "release" ? { ...event, value } : event));
  return probedIn({ header, events: told }, { client: 0, ordinal: 1, key: "k", invoked: 2 });
}

test("a refused try shows that the lock was held, unless somebody else may have come while it was made", () => {
  expect(probed((it) => it)).toBe("held");
  expect(probed((it) => it.acquire(102, 1, "b"))).toBe("unclear");
  expect(probed((it) => it.seek(102, 1))).toBe("unclear");
  expect(probed((it) => it.fault(105, "eviction"))).toBe("unclear");
});
