/** Owners of semaphores and read-write locks of which nobody knows how many permits they hold, or in which mode. */
import { describe, expect, it } from "vitest";
import type { Sharing } from "../../core/sharing.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const one: Sharing = { limit: 2, permits: 1 };
const two: Sharing = { limit: 2, permits: 2 };
const reading: Sharing = { mode: "shared" };
const writing: Sharing = { mode: "exclusive" };

/** Whether two holds, or two leases, exclude each other; both properties agree. */
function accused(recording: Recording): boolean {
  const { properties } = checkHistory(recording.history);
  const found = [properties["mutual-exclusion"]?.verdict, properties["lease-exclusion"]?.verdict];
  expect(found[0]).toBe(found[1]);
  return found[0] === "invalid";
}

describe("an owner that is granted the key again after a release", () => {
  const again = (release: (recording: Recording) => Recording, [first, second]: readonly Sharing[] = [one, two]) =>
    accused(
      release(new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a", first))
        .acquire(20, 2, "a", second)
        .acquire(30, 1, "b", first)
        .release(40, 2, "a")
        .release(50, 1, "b"),
    );

  it("may hold what it held before, unless the release was carried out", () => {
    expect(again((recording) => recording.leave(10, 0, "a").info(12, 0, "release"))).toBe(false);
    expect(again((recording) => recording.leave(10, 0, "a"))).toBe(false);
    expect(again((recording) => recording.lost(10, 0, "a"))).toBe(false);
    expect(again((recording) => recording.fault(10, "kill-client", { processes: [0] }))).toBe(false);
    expect(again((recording) => recording.release(10, 0, "a"))).toBe(true);
    expect(again((recording) => recording.release(10, 0, "a", false))).toBe(true);
  });

  it("may be a reader still", () => {
    const modes = [reading, writing];
    expect(again((recording) => recording.leave(10, 0, "a").info(12, 0, "release"), modes)).toBe(false);
    expect(again((recording) => recording.release(10, 0, "a"), modes)).toBe(true);
  });

  it("had nothing any more where its lease was over", () => {
    const late = (at: number): boolean =>
      accused(
        new Recording({ clients: 2 })
          .acquire(0, 0, "a", { ...one, ttlMs: 100 })
          .leave(10, 0, "a")
          .info(12, 0, "release")
          .acquire(at, 2, "a", two)
          .acquire(at + 10, 1, "b", one)
          .release(at + 20, 2, "a")
          .release(at + 30, 1, "b"),
      );
    expect(late(100)).toBe(false);
    expect(late(102)).toBe(true);
  });

  it("may hold what it held before, however long ago, where an extension may have prolonged it", () => {
    const extended = new Recording({ clients: 2 })
      .acquire(0, 0, "a", { ...one, ttlMs: 100 })
      .seekExtension(5, 0, "a", 100)
      .info(6, 0, "extend")
      .leave(10, 2, "a")
      .info(12, 2, "release")
      .acquire(150, 4, "a", two)
      .acquire(160, 1, "b", one)
      .release(170, 4, "a")
      .release(180, 1, "b");
    expect(accused(extended)).toBe(false);
  });

  it("may do so after any number of grants and releases, while its first lease may have lasted", () => {
    const chain = (miss: boolean): boolean => {
      const begun = new Recording({ clients: 2 }).acquire(0, 0, "a", one).leave(10, 0, "a").info(12, 0, "release");
      const released = begun.acquire(20, 2, "a", two).release(30, 2, "a");
      const known = miss ? released.release(34, 2, "a", false) : released;
      return accused(known.acquire(40, 2, "a", two).acquire(50, 1, "b", one).release(60, 2, "a").release(70, 1, "b"));
    };
    expect(chain(false)).toBe(false);
    expect(chain(true)).toBe(true);
  });

  it("may still be a reader after a further grant as a reader and its release", () => {
    const chain = (miss: boolean): boolean => {
      const begun = new Recording({ clients: 2 }).acquire(0, 0, "a", reading).leave(10, 0, "a").info(12, 0, "release");
      const released = begun.acquire(20, 2, "a", reading).release(30, 2, "a");
      const known = miss ? released.release(34, 2, "a", false) : released;
      const beside = known.acquire(40, 2, "a", writing).acquire(50, 1, "b", reading);
      return accused(beside.release(60, 2, "a").release(70, 1, "b"));
    };
    expect(chain(false)).toBe(false);
    expect(chain(true)).toBe(true);
  });
});

it("an owner that extends after its lease, having entered twice, may still hold what it held before after one release", () => {
  const entered = (times: number): boolean => {
    const begun = new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a", { ...reading, ttlMs: 100 });
    const twice = times === 2 ? begun.acquire(10, 0, "a", { ...reading, ttlMs: 100 }) : begun;
    const released = twice.extend(115, 0, "a", { ttlMs: 400 }).release(120, 0, "a");
    const beside = released.acquire(130, 0, "a", writing).acquire(140, 1, "b", reading);
    return accused(beside.release(150, 0, "a").release(160, 1, "b"));
  };
  expect(entered(2)).toBe(false);
  expect(entered(1)).toBe(true);
});

describe("an owner that has asked to enter again for less", () => {
  /** It holds, and has asked for less; meanwhile another owner is granted the key, and then it is answered. */
  const asking = ([first, second, other]: readonly Sharing[], answer: (recording: Recording) => Recording): boolean =>
    accused(
      answer(
        new Recording({ clients: 2, backend: "simulated" })
          .acquire(0, 0, "a", first)
          .seek(10, 0, second)
          .acquire(20, 1, "b", other)
          .write(25, 2, "a", "d"),
      ).release(50, 1, "b"),
    );
  const kinds: readonly (readonly [string, readonly Sharing[], boolean])[] = [
    ["fewer permits", [two, one, one], false],
    // A writer may go on as a reader under another owner value.
    ["to read", [writing, reading, reading], true],
  ];

  it.each(kinds)("may have it already: %s", (_, shares, isRenamed) => {
    expect(asking(shares, (recording) => recording.granted(30, 0, "a"))).toBe(false);
    expect(asking(shares, (recording) => recording.info(30, 0, "acquire"))).toBe(false);
    expect(asking(shares, (recording) => recording.refused(30, 0))).toBe(true);
    expect(asking(shares, (recording) => recording.granted(30, 0, "c"))).toBe(!isRenamed);
  });

  it("for more holds no less meanwhile", () => {
    expect(asking([two, two, one], (recording) => recording.granted(30, 0, "a"))).toBe(true);
  });
});
