import { describe, expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

it.each([
  [
    { targets: ["node-0"], byMs: 10_000 },
    "ended the lease early: the clock by which it is measured went forward by 10,000 ms",
  ],
  [
    { targets: ["node-0"], byMs: -500 },
    "moved the end of the lease: the clock by which it is measured went back by 500 ms",
  ],
  [
    { targets: ["client-0"], processes: [0], byMs: 500 },
    "moved the end of the lease: the clock by which it is measured went forward by 500 ms",
  ],
  [
    { targets: ["node-0"] },
    "moved the end of the lease: a lease ends by the wall clock of the process that measures it",
  ],
])("the history says which way a clock went, and the cause what that did: %o", (details, words) => {
  const granted = new Recording().acquire(1, 0, "a").fault(5, "clock-jump", details).acquire(8, 1, "b");
  const [violation] = violationsOf("lease-exclusion", granted.release(20, 1, "b").release(30, 0, "a"));
  expect(violation?.explanation).toContain(words);
});

describe("where several steps of clocks may have ended a lease early", () => {
  const back = { targets: ["node-0"], byMs: -500 };
  const forward = { targets: ["node-0"], byMs: 10_000 };
  const blamed = (recording: Recording): number | undefined =>
    violationsOf("linearizability", recording.release(90, 0, "a", false))[0]?.fault;

  it("suspects a server's clock that went forward before one that went back", () => {
    const begun = new Recording({ clients: 2 }).acquire(1, 0, "a");
    expect(blamed(begun.fault(5, "clock-jump", back).fault(8, "clock-jump", forward))).toBe(3);
  });

  it("suspects a step within the lease before one ahead of the extension that began it", () => {
    const begun = new Recording({ clients: 2 }).acquire(1, 0, "a").fault(5, "clock-jump", forward);
    expect(blamed(begun.extend(20, 0, "a").fault(50, "clock-jump", forward))).toBe(5);
  });
});
