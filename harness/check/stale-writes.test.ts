import { expect, it } from "vitest";
import { checkHistory } from "./check.ts";
import { judge } from "./testing/judge.ts";
import { Recording } from "./testing/recording.ts";

const judged = (recording: Recording): string => judge("stale-writes", recording);

it("takes fencing tokens that grow or stay", () => {
  const recording = new Recording()
    .audit(0, 1, "x", { owner: "a", fence: 1 })
    .audit(1, 2, "y", { owner: "a", fence: 1 })
    .audit(2, 3, "z", { owner: "b", fence: 5 });
  expect(judged(recording)).toBe("valid");
});

it("refuses an accepted one that is lower than the largest accepted", () => {
  const recording = new Recording()
    .audit(0, 1, "x", { owner: "a", fence: 5 })
    .audit(1, 2, "y", { owner: "b", fence: 3 })
    .audit(2, 3, "z", { owner: "c", fence: 4 });
  expect(judged(recording)).toBe("invalid; stale-accepted 0,1; stale-accepted 0,2");
});

it("refuses an accepted one that another owner has used", () => {
  const same = new Recording().audit(0, 1, "x", { owner: "a", fence: 5 }).audit(1, 2, "y", { owner: "b", fence: 5 });
  expect(judged(same)).toBe("invalid; stale-accepted 0,1");
});

it("keeps the resources of keys apart", () => {
  const recording = new Recording()
    .on("k1")
    .audit(0, 1, "x", { owner: "a", fence: 5 })
    .on("k2")
    .audit(1, 1, "y", { owner: "b", fence: 3 });
  expect(judged(recording)).toBe("valid");
});

it("takes stale writes that were refused, and remarks upon them", () => {
  const recording = new Recording()
    .audit(0, 1, "x", { owner: "a", fence: 5 })
    .audit(1, 1, "y", { owner: "b", fence: 3, accepted: false });
  expect(judged(recording)).toBe("valid");
  expect(checkHistory(recording.history).remarks).toEqual([
    "write y with fencing token 3 was refused after 5 was accepted",
  ]);
});

it("lists twenty remarks and counts the rest", () => {
  const recording = new Recording().audit(0, 1, "x", { owner: "a", fence: 5 });
  for (let count = 0; count < 25; count += 1) recording.audit(1, 1, "y", { owner: "b", fence: 3, accepted: false });
  const { remarks } = checkHistory(recording.history);
  expect(remarks).toHaveLength(21);
  expect(remarks.at(-1)).toBe("5 more stale writes are not listed");
});

it("does not count writes without a fencing token", () => {
  expect(judged(new Recording().audit(0, 1, "x", { owner: "a" }))).toBe("not-applicable");
  const some = new Recording().audit(0, 1, "x", { owner: "a", fence: 5 }).audit(1, 2, "y", { owner: "b" });
  expect(judged(some)).toBe("valid");
});

it("remarks upon a write that was accepted after a larger fencing token had been granted", () => {
  const before = new Recording()
    .acquire(0, 0, "a", { fence: 1 })
    .acquire(1100, 1, "b", { fence: 2 })
    .write(1200, 0, "a", "x", { fence: 1 })
    .audit(1201, 1, "x", { owner: "a", fence: 1 })
    .wrote(1202, 0, 1);
  expect(judged(before)).toBe("valid");
  expect(checkHistory(before.history).remarks).toEqual([
    "write x with fencing token 1 was accepted after 2 had been granted: fencing does not prevent that",
  ]);
  const sentBefore = new Recording()
    .acquire(0, 0, "a", { fence: 1 })
    .write(900, 0, "a", "x", { fence: 1 })
    .acquire(1100, 1, "b", { fence: 2 })
    .audit(1201, 1, "x", { owner: "a", fence: 1 })
    .wrote(1202, 0, 1);
  expect(checkHistory(sentBefore.history).remarks).toEqual([]);
});

it("knows nothing of acknowledged writes without an audit", () => {
  const recording = new Recording().acquire(0, 0, "a", { fence: 1 }).write(2, 0, "a", "x", { fence: 1 });
  expect(judged(recording)).toBe("not-applicable");
  expect(judged(recording.wrote(3, 0, 1))).toBe("unknown");
});
