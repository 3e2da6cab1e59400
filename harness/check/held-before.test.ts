import { describe, expect, it } from "vitest";
import { checkHistory } from "./check.ts";
import { judge } from "./testing/judge.ts";
import { Recording } from "./testing/recording.ts";

it("an acquire of unknown outcome may have entered the hold that its client extends, from before the history", () => {
  const recording = new Recording({ clients: 3 });
  recording.seekExtension(2, 1, "c1", 400);
  recording.extended(3, 1, "c1");
  recording.seek(4, 1, { ttlMs: 20 });
  recording.info(5, 1, "acquire");
  recording.seek(30, 0, { ttlMs: 20 });
  recording.granted(31, 0, "c0");
  const { properties } = checkHistory(recording.history);
  expect(properties.linearizability?.verdict).toBe("valid");
});

it("an extension of unknown outcome, from before the history, may cut a later lease of its owner value", () => {
  const recording = new Recording({ clients: 3 });
  recording.seekExtension(2, 1, "c1", 20);
  recording.info(3, 1, "extend");
  recording.seek(4, 4, { ttlMs: 100 });
  recording.granted(5, 4, "c1");
  recording.seek(42, 2, { ttlMs: 20 });
  recording.granted(43, 2, "c2");
  const { properties } = checkHistory(recording.history);
  expect(properties["lease-exclusion"]?.verdict).toBe("valid");
});

describe("what two owners do with holds from before the history", () => {
  const begun = (): Recording => new Recording({ clients: 3 }).on("other").fail(0, 0).fail(0, 1).on("k");
  const both = (): Recording => begun().release(2, 0, "a").extend(4, 1, "b", { ttlMs: 400 });
  const found = (recording: Recording): string => judge("linearizability", recording).split(";")[0]!;

  it("is no proof against a key that several may hold, as a later acquire states", () => {
    for (const share of [{ mode: "shared" }, { limit: 2 }, { mode: "exclusive" }] as const) {
      expect(found(both().acquire(500, 2, "c", share))).toBe("valid");
    }
    const one = new Recording({ clients: 3 }).extend(2, 1, "b", { ttlMs: 400 });
    expect(found(one.acquire(10, 2, "c", { mode: "exclusive" }))).toBe("invalid");
    const twice = both().acquire(500, 2, "c", { mode: "exclusive" });
    expect(found(twice.acquire(510, 0, "a", { mode: "exclusive" }))).toBe("invalid");
  });

  it("is proof against a lock that one owner holds at a time, also before the acquire that shows it", () => {
    expect(found(both().acquire(500, 2, "c"))).toBe("invalid");
    expect(found(new Recording({ clients: 3, backend: "simulated" }).release(0, 0, "a"))).toBe("invalid");
  });

  it("shows nothing where no acquire is recorded", () => {
    const { verdict, reason } = checkHistory(both().history).properties.linearizability ?? {};
    expect(`${verdict}: ${reason}`).toMatch(/^unknown: not decided for k: it was held before .* no acquire states/);
    expect(found(new Recording({ clients: 3 }).release(0, 0, "a"))).toBe("valid");
  });

  it("is over with the release that was under way when the recording began, where it took effect since", () => {
    const given = new Recording({ clients: 3 })
      .seekExtension(0, 1, "a", 500)
      .leave(5, 2, "a")
      .extended(10, 1, "a")
      .acquire(20, 0, "b")
      .left(30, 2);
    expect(found(given)).toBe("valid");
  });

  it("is over with that release, which ends no later hold of the same owner value", () => {
    const given = new Recording({ clients: 3 }).seek(0, 0).release(1, 2, "a").acquire(2, 2, "a").fail(3, 0);
    expect(found(given.acquire(4, 0, "b"))).toBe("invalid");
    // With this, only the general search decides.
    const extended = new Recording({ clients: 3 })
      .seek(0, 0)
      .release(1, 2, "a")
      .fail(1, 0)
      .acquire(2, 2, "a")
      .seek(3, 0);
    expect(found(extended.seekExtension(3, 2, "a", 100).info(3, 2, "extend").granted(4, 0, "b"))).toBe("invalid");
  });

  it("is no proof where the first release was under way when the recording began: another may have held since it took effect", () => {
    const recorded = (recording: Recording): string => {
      const left = recording.leave(2, 0, "a").leave(4, 1, "b").left(6, 0).left(8, 1);
      return found(left.acquire(10, 2, "c").release(12, 2, "c"));
    };
    expect(recorded(new Recording({ clients: 3 }))).toBe("valid");
    expect(recorded(begun())).toBe("invalid");
    expect(recorded(new Recording({ clients: 3, backend: "simulated" }))).toBe("invalid");
  });
});
