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

describe("an owner that is granted the key again when its lease may be over", () => {
  /** What its releases find. */
  const left = (...found: readonly boolean[]): string => {
    const one: Sharing = { limit: 2, permits: 1 };
    const history = long(one)
      .acquire(BEGIN, 0, "a", { ttlMs: 100, ...one })
      .acquire(BEGIN + 200, 0, "a", { ttlMs: 10_000, ...one });
    for (const [place, released] of found.entries()) history.release(BEGIN + 210 + place * 10, 0, "a", released);
    return judge("linearizability", history.acquire(BEGIN + 300, 1, "b", { limit: 2, permits: 2 }));
  };

  it("has one entry or two, as its releases show", () => {
    expect(left(true, true)).toBe("valid");
    expect(left(true, false)).toBe("valid");
    expect(left(true)).toBe("valid");
    expect(left(false)).not.toBe("valid");
    expect(left(true, true, true)).not.toBe("valid");
  });
});

describe("many readers that never release", () => {
  const reading: Sharing = { mode: "shared" };
  const readers = (ttlMs: number): Recording => {
    const history = long(reading);
    for (let number = 0; number < 65; number += 1) {
      const process = 3 * number;
      history.acquire(BEGIN + number, process, `a${number}`, { ttlMs, ...reading });
      // Nobody knows what this has made of the lease.
      history.seekExtension(BEGIN + number, process, `a${number}`, ttlMs).info(BEGIN + number, process, "extend");
    }
    return history;
  };
  const written = (history: Recording): Recording =>
    history.acquire(BEGIN + 300, 1, "b", { mode: "exclusive" }).release(BEGIN + 310, 1, "b");
  const extended = (history: Recording): string =>
    judge("linearizability", history.extend(BEGIN + 320, 195, "a0", { ttlMs: 10_000 }));

  it("make room for a writer when their leases may be over, and not before", () => {
    expect(judge("linearizability", written(readers(10)))).toBe("valid");
    expect(judge("linearizability", written(readers(10_000)))).not.toBe("valid");
  });

  it("may have lasted after that, as long as no writer came", () => {
    expect(extended(readers(10))).toBe("valid");
    expect(extended(written(readers(10)))).not.toBe("valid");
  });
});
