import { expect, it } from "vitest";
import type { History } from "../../history/history.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const recording = (): Recording => new Recording({ clients: 2, backend: "simulated" });

function wrong({ history }: { readonly history: History }): readonly string[] {
  const { properties } = checkHistory(history);
  return Object.entries(properties).flatMap(([property, { verdict }]) => (verdict === "invalid" ? [property] : []));
}

/** Client 0 holds until 100 ms as `a`, extends the lease to 551 ms, and is told the owner value for it. */
const extended = (owner: string): Recording =>
  recording().acquire(0, 0, "a", { ttlMs: 100 }).seekExtension(50, 0, "a", 500).extended(51, 0, owner);

it("an extension that gives a new owner value goes on with its hold, under that value", () => {
  for (const owner of ["a", "b"]) {
    expect(wrong(extended(owner).release(100, 0, owner).acquire(110, 1, "c"))).toEqual([]);
    expect(wrong(extended(owner).acquire(200, 1, "c").release(210, 1, "c").release(220, 0, owner))).toEqual([
      "mutual-exclusion",
      "lease-exclusion",
      "linearizability",
    ]);
  }
});

it("the value before refers to nothing any more, and may be the one of another hold later", () => {
  expect(wrong(extended("b").release(60, 0, "a", false).release(100, 0, "b"))).toEqual([]);
  expect(wrong(extended("a").release(60, 0, "a", false).release(100, 0, "a"))).toEqual(["linearizability"]);
  const again = extended("b").release(100, 0, "b").acquire(110, 0, "a").release(120, 0, "a").acquire(130, 1, "b");
  expect(wrong(again.release(140, 1, "b"))).toEqual([]);
  const thrice = extended("b").seekExtension(60, 0, "b", 500).extended(61, 0, "d").release(70, 0, "b", false);
  expect(wrong(thrice.release(100, 0, "d").acquire(110, 1, "c"))).toEqual([]);
});

it("an extension that answers with the value of another holder is not one of these", () => {
  const foreign = recording().acquire(0, 0, "a", { ttlMs: 20 }).acquire(40, 1, "b", { ttlMs: 400 });
  const answered = foreign.seekExtension(50, 0, "a", 400).extended(51, 0, "b").release(60, 1, "b");
  expect(wrong(answered)).toContain("linearizability");
});
