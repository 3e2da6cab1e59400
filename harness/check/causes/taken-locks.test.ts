import { expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

it("no release of one that held on other masters takes the lock, where there are several", () => {
  const robbed = (topology: string): Recording =>
    new Recording({ clients: 3, backend: "simulated", topology })
      .acquire(0, 0, "a")
      .acquire(10, 1, "b")
      .release(20, 0, "a")
      .acquire(30, 2, "c");
  const causesOf = (topology: string) =>
    violationsOf("lease-exclusion", robbed(topology)).map(({ hypotheses = [] }) =>
      hypotheses.map(({ cause }) => cause),
    );
  expect(causesOf("redlock")).toEqual([["double-grant"], ["double-grant"]]);
  expect(causesOf("single")).toEqual([["double-grant"], ["foreign-release", "double-grant"]]);
});
