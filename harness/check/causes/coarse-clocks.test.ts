/** What is said of leases by a clock that is exact to 100 ms only. */
import { describe, expect, it } from "vitest";
import type { Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function told(property: Property, recording: Recording): string {
  return checkHistory(recording.history, { foreign: true }).properties[property]?.violations[0]?.explanation ?? "";
}

/** Client 0 is granted a lease at 0 ms, client 1 another one at 300 ms, and both hold. */
function together(ttlMs: number, endMs = 800, grant: { readonly validForMs?: number } = {}): Recording {
  return new Recording({ clients: 2 })
    .seek(0, 0, { ttlMs })
    .granted(0, 0, "a", grant)
    .seek(200, 1, { ttlMs: 2000 })
    .granted(300, 1, "b")
    .seekExtension(500, 1, "b", 2000)
    .extended(600, 1, "b")
    .leave(endMs, 0, "a")
    .left(endMs + 100, 0);
}

it("does not say that a lease was over where it may have been in force", () => {
  const doubtful =
    "The lease of client-0 may have ended as early as 250 ms: the times of this history are exact to 100 ms only.";
  expect(told("mutual-exclusion", together(350))).toContain(doubtful);
  expect(told("mutual-exclusion", together(150))).toContain(
    "The lease of client-0 had ended at 250 ms, at the latest,",
  );
});

it("does not say that a lease was over on arrival, nor that it ended before it was asked for", () => {
  for (const words of [
    told("mutual-exclusion", together(50)),
    told("mutual-exclusion", together(50, 800, { validForMs: 40 })),
  ]) {
    expect(words).not.toContain("its lease was already over");
    expect(words).not.toMatch(/ -\d/);
    expect(words).toContain("The lease of client-0 had ended at 1");
  }
});

it("says of a late grant only that its lease may have been over", () => {
  const late = new Recording({ clients: 2 })
    .seek(0, 1, { ttlMs: 250 })
    .seek(100, 0, { ttlMs: 2000 })
    .granted(200, 0, "a")
    .granted(200, 1, "b")
    .leave(300, 1, "b")
    .left(400, 1)
    .leave(700, 0, "a")
    .left(800, 0);
  expect(told("mutual-exclusion", late)).toContain(
    "The lease of client-1 may have ended as early as 150 ms, before the grant reached it",
  );
});

it("gives no end of a lease that explains nothing", () => {
  const released = new Recording({ clients: 2 })
    .seek(0, 0, { ttlMs: 50 })
    .granted(100, 0, "a")
    .leave(200, 0, "a")
    .left(200, 0)
    .seek(300, 1, { ttlMs: 50 })
    .granted(400, 1, "b")
    .leave(600, 0, "a")
    .left(700, 0);
  expect(told("linearizability", released)).toContain("the last to hold it was client-1 as owner b (since 300 ms");
});

/**
 * Client 0 holds, and for longer than a short lease. Then client 1 is granted the key and gives it back. Its grant has no certain place: client 3
 * was granted the key at the same time by the clock.
 */
function givenBack(owner: string, sharing: object, ttlMs = 100): Recording {
  const asked = { ttlMs: 100, waitMs: 100, ...sharing };
  const recording = new Recording({ clients: 4, clockUncertaintyMs: 20 });
  const held = recording
    .seek(10, 0, { ...asked, ttlMs })
    .granted(110, 0, "f")
    .write(110, 0, "f", "w0")
    .wrote(110, 0, 1);
  const granted = held.seek(110, 1, asked).seek(120, 3, asked).granted(130, 1, "x").write(130, 1, "x", "w1");
  const beside = granted.wrote(130, 1, 2).granted(130, 3, "z").leave(130, 3, "z").left(130, 3);
  const released = beside.leave(140, 1, owner).left(150, 1);
  const next = released.seek(150, 2, { ttlMs: 100, ...sharing }).granted(160, 2, "s");
  return next.write(170, 0, "f", "w2").wrote(180, 0, 3).write(250, 0, "f", "w3").release(260, 2, "s");
}

it.each([
  ["a lock that one owner holds", {}],
  ["a semaphore", { limit: 1 }],
])(
  "takes a release for its owner's own rather than for another's, where its grant has no certain place: %s",
  (_, sharing) => {
    const causes = (owner: string, ttlMs?: number): readonly string[] => {
      const { properties } = checkHistory(givenBack(owner, sharing, ttlMs).history, { foreign: true });
      return properties["mutual-exclusion"]?.violations[0]?.hypotheses?.map(({ cause }) => cause) ?? [];
    };
    expect(causes("x")).toEqual(["overrun", "foreign-release"]);
    expect(causes("y")).toEqual(["foreign-release", "overrun"]);
    expect(causes("x", 1000)).toEqual(["double-grant", "foreign-release"]);
    expect(causes("y", 1000)).toEqual(["foreign-release", "double-grant"]);
  },
);

describe("a release whose owner's grant has no certain place", () => {
  /** Client 1 is granted the key as owner x, which has no certain place, and then client 0 as owner f, from whom somebody takes it. */
  const taken = (
    owner: string,
    { askedMs = 400, releasedMs = 600, ttlMs = 100, isExtended = false },
  ): readonly string[] => {
    const asked = { ttlMs, waitMs: 100 };
    const recording = new Recording({ clients: 4, clockUncertaintyMs: 20 }).seek(110, 1, asked).seek(120, 3, asked);
    const granted = recording.granted(130, 1, "x").write(130, 1, "x", "w1").wrote(130, 1, 1).granted(130, 3, "z");
    const left = granted.leave(130, 3, "z").left(130, 3).seek(askedMs, 0, { ttlMs: 2000, waitMs: 500 });
    if (isExtended) left.extend(410, 1, "x");
    left.granted(450, 0, "f");
    const released = left.leave(releasedMs, 1, owner).left(releasedMs + 10, 1);
    const next = released
      .acquire(releasedMs + 60, 2, "s")
      .write(releasedMs + 200, 0, "f", "w2")
      .wrote(releasedMs + 210, 0, 2);
    const { properties } = checkHistory(next.release(releasedMs + 300, 2, "s").history, { foreign: true });
    return properties["lease-exclusion"]?.violations[0]?.hypotheses?.map(({ cause }) => cause) ?? [];
  };

  it("took the lock from its holder, where that was asked for later", () => {
    expect(taken("y", {})).toEqual(["foreign-release", "double-grant"]);
    expect(taken("x", { ttlMs: 5000 })).toEqual(["foreign-release", "double-grant"]);
  });

  it("took the lock from its holder, where its own lease was over", () => {
    expect(taken("x", { askedMs: 125 })).toEqual(["foreign-release", "double-grant"]);
    expect(taken("x", { askedMs: 125, isExtended: true })).toEqual(["double-grant", "foreign-release"]);
    expect(taken("x", { askedMs: 125, ttlMs: 1000 })).toEqual(["double-grant", "foreign-release"]);
  });
});
