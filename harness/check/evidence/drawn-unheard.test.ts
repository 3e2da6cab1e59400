/** A client that does not know the outcome of its extension may go on under the new owner value that it drew for it. */
import { expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function accused({ history }: Recording): readonly Property[] {
  const { properties } = checkHistory(history, { foreign: true });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

/** Client 0 is granted the key, and asks to extend its lease, without an answer. It goes on as process 2. */
function unheard(): Recording {
  return new Recording({ clients: 2 }).acquire(0, 0, "a").seekExtension(10, 0, "a", 1000).info(20, 0, "extend");
}

/** Client 1 holds the key for 10 ms. */
function next(recording: Recording, atMs: number): Recording {
  return recording.acquire(atMs, 1, "b").release(atMs + 10, 1, "b");
}

it("releases under it", () => {
  expect(accused(next(unheard().release(30, 2, "drawn"), 40))).toEqual([]);
});

it("releases under it, although the extension had no effect", () => {
  expect(accused(next(unheard().release(30, 2, "drawn", false).fail(40, 1), 1100))).toEqual([]);
});

it("extends under it and draws another", () => {
  const extended = unheard().seekExtension(30, 2, "drawn", 1000).extended(40, 2, "later");
  expect(accused(next(extended.release(50, 2, "later"), 60))).toEqual([]);
});

it("and still holds, as long as it has not released", () => {
  const extended = unheard().seekExtension(30, 2, "drawn", 1000).extended(40, 2, "later");
  expect(accused(next(extended, 60).release(80, 2, "later"))).toEqual([
    "mutual-exclusion",
    "lease-exclusion",
    "linearizability",
  ]);
});

it.each([
  ["by another client", unheard().release(30, 1, "drawn")],
  [
    "of a value that was drawn before",
    new Recording({ clients: 2 })
      .acquire(0, 0, "old")
      .seekExtension(2, 0, "old", 1000)
      .extended(3, 0, "drawn")
      .release(4, 0, "drawn")
      .acquire(6, 0, "a")
      .seekExtension(10, 0, "a", 1000)
      .info(20, 0, "extend")
      .release(30, 2, "drawn"),
  ],
  ["when its hold is over", next(unheard(), 2000).acquire(2020, 1, "c").release(2030, 2, "drawn")],
  [
    "of a lock that was seen to keep its values",
    new Recording({ clients: 2 })
      .acquire(0, 0, "a")
      .extend(5, 0, "a")
      .seekExtension(10, 0, "a", 1000)
      .info(20, 0, "extend")
      .release(30, 2, "drawn"),
  ],
  [
    "of a value that was granted before",
    new Recording({ clients: 2 })
      .acquire(0, 0, "old")
      .release(2, 0, "old")
      .acquire(5, 0, "a")
      .seekExtension(10, 0, "a", 1000)
      .info(20, 0, "extend")
      .release(30, 2, "old"),
  ],
])("a release %s is accused", (_, recording) => {
  expect(accused(recording)).toContain("owner-release");
});

it("gives back a permit under it, which may also be one of before the recording", () => {
  const limited = new Recording({ clients: 2 }).acquire(0, 0, "a", { limit: 2 }).seekExtension(10, 0, "a", 1000);
  const released = limited.info(20, 0, "extend").release(30, 2, "drawn");
  expect(accused(released.acquire(40, 1, "b", { limit: 2 }).acquire(50, 1, "c", { limit: 2 }))).toEqual([]);
  expect(accused(released.release(60, 1, "b").release(70, 2, "a"))).toEqual([]);
});

it("also where the client does not know the outcome of an acquire", () => {
  const before = new Recording({ clients: 2 }).seek(0, 0).info(1, 0, "acquire").acquire(2, 2, "a");
  const drawn = before.seekExtension(10, 2, "a", 1000).info(20, 2, "extend").release(30, 4, "drawn");
  expect(accused(next(drawn, 40))).toEqual([]);
  const later = unheard().seek(1100, 2).info(1110, 2, "acquire").release(1120, 4, "of that acquire");
  expect(accused(next(later, 1130))).toEqual([]);
});
