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

it("a release of unknown outcome did not report success, wherever in a step of the clock it ended", () => {
  const { history } = new Recording({ clients: 3 })
    .seek(0, 0, { ttlMs: 100 })
    .granted(10, 0, "a")
    .seek(150, 1, { ttlMs: 1000 })
    .granted(160, 1, "b")
    .seek(190, 2, { ttlMs: 1000 })
    .leave(200, 0, "a")
    .info(200, 0, "release")
    .granted(200, 2, "c")
    .leave(300, 2, "c")
    .left(300, 2);
  const [found] = checkHistory(history, { foreign: true }).properties["lease-exclusion"]?.violations ?? [];
  expect(found?.cause).toBe("foreign-release");
  expect(found?.explanation).toContain("ended without a known outcome and may have taken effect");
});
