/** Histories that are too long for the general search: only an order that is found in one pass decides them. */
import { describe, expect, it } from "vitest";
import type { Sharing } from "../../../core/sharing.ts";
import { judge } from "../../testing/judge.ts";
import { Recording } from "../../testing/recording.ts";

/** More operations than the general search is given, one after another. */
function long(sharing: Sharing): Recording {
  const recording = new Recording({ clients: 3, backend: "simulated" });
  for (let round = 0; round < 160; round += 1) {
    recording.acquire(round * 4, 2, `r${round}`, sharing).release(round * 4 + 2, 2, `r${round}`);
  }
  return recording;
}

const BEGIN = 1000;

describe("an owner that enters again for less", () => {
  const entered = (sharing: Sharing, again: Sharing, other: Sharing): string =>
    judge(
      "linearizability",
      long(sharing)
        .acquire(BEGIN, 0, "a", sharing)
        .seek(BEGIN + 10, 0, again)
        .acquire(BEGIN + 20, 1, "b", other)
        .granted(BEGIN + 30, 0, "a"),
    );

  it("has less before it is told, which makes room for another", () => {
    const [one, two] = [1, 2].map((permits) => ({ limit: 2, permits }));
    expect(entered(two!, one!, one!)).toBe("valid");
    expect(entered({ mode: "exclusive" }, { mode: "shared" }, { mode: "shared" })).toBe("valid");
  });

  it("leaves no more room than that", () => {
    const [one, two] = [1, 2].map((permits) => ({ limit: 3, permits }));
    expect(entered({ limit: 3, permits: 3 }, two!, one!)).toBe("valid");
    expect(entered({ limit: 3, permits: 3 }, two!, two!)).not.toBe("valid");
    expect(entered(one!, one!, { limit: 3, permits: 3 })).not.toBe("valid");
  });
});
