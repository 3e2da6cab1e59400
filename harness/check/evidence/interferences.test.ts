import { expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

it("a release that was called before its own grant is known, by clocks that differ, took nothing from another", () => {
  const waiting = { ttlMs: 300, waitMs: 500 };
  const { history } = new Recording({ clients: 3, clockUncertaintyMs: 5 })
    .seek(12, 2, waiting)
    .seek(13, 0, waiting)
    .granted(15, 0, "a")
    .seek(20, 1, waiting)
    .granted(312, 2, "b")
    .release(312, 2, "b")
    .granted(318, 1, "c")
    .release(355, 1, "c")
    .seekExtension(462, 0, "a", 300)
    .failExtension(463, 0);
  const { violations = [] } = checkHistory(history, { foreign: true }).properties["mutual-exclusion"] ?? {};
  expect(violations.map(({ cause }) => cause)).toEqual(["overrun"]);
});
