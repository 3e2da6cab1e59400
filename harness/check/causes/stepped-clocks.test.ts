import { expect, it } from "vitest";
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
