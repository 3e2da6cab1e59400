/** Owner values that are handed from one process to another within one step of a coarse clock. */
import { describe, expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function accused({ history }: Recording): readonly Property[] {
  const { properties } = checkHistory(history, { foreign: true });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

describe.each([[{ clients: 2 }], [{}]])("a hold that another process gives up within one step (%o)", (facts) => {
  const handed = (sharing: object): Recording =>
    new Recording(facts).seek(0, 1, sharing).granted(0, 1, "a").leave(0, 0, "a").left(0, 0);

  it.each([[{}], [{ limit: 1 }], [{ mode: "exclusive" as const }]])("is not known to last (%o)", (sharing) => {
    const next = handed(sharing).seek(100, 0, sharing).granted(100, 0, "b");
    expect(accused(next.leave(300, 0, "b").left(300, 0))).toEqual([]);
  });

  it("lasts if it is extended later", () => {
    const extended = handed({}).seekExtension(100, 1, "a", 1000).extended(100, 1, "a");
    const beside = extended.seek(200, 0).granted(200, 0, "b").leave(300, 0, "b").left(300, 0);
    expect(accused(beside.leave(400, 1, "a").left(400, 1))).toContain("lease-exclusion");
  });

  it("is not known to last if it is extended in the same step, by a third process", () => {
    const extended = new Recording(facts)
      .seek(0, 1)
      .granted(0, 1, "a")
      .seekExtension(0, 3, "a", 1000)
      .extended(0, 3, "a")
      .leave(0, 0, "a")
      .left(0, 0);
    expect(accused(extended.seek(200, 0).granted(200, 0, "b").leave(300, 0, "b").left(300, 0))).toEqual([]);
  });
});
