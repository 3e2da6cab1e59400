/** What one process does is in order by itself, however much the clocks of several may differ. */
import { describe, expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function accused({ history }: Recording): readonly Property[] {
  const { properties } = checkHistory(history, { foreign: true });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

const recording = (): Recording => new Recording({ clients: 4, clockUncertaintyMs: 5 });
const EXCLUSION = ["mutual-exclusion", "lease-exclusion"];

/** The same client is granted the key later, and another beside it. */
const twice = (before: Recording): Recording =>
  before
    .seek(100.1, 0)
    .granted(102.3, 0, "later")
    .seek(200.2, 1)
    .granted(240.4, 1, "c")
    .release(300.5, 1, "c")
    .release(400.6, 0, "later");

/** The same client gives the key back later, and another is granted it then. */
const inTurn = (before: Recording): Recording =>
  before
    .seek(100.1, 0)
    .granted(102.3, 0, "later")
    .release(150.2, 0, "later")
    .seek(200.2, 1)
    .granted(240.4, 1, "c")
    .release(300.5, 1, "c");

const granted = (owner = "a"): Recording => recording().seek(10.2, 0).granted(11.3, 0, owner);

describe("a process that gives up a grant sooner than the clocks differ", () => {
  it.each<[string, () => Recording]>([
    ["releases it", () => granted().release(11.3, 0, "a")],
    ["is told that it is lost", () => granted().lost(12.3, 0, "a")],
    ["does so again and again", () => granted().release(12.3, 0, "a").acquire(13.4, 0, "b").release(14.5, 0, "b")],
    ["uses one owner value", () => granted().release(12.3, 0, "a").acquire(13.4, 0, "a").release(14.5, 0, "a")],
    ["used the later value", () => granted("later").release(12.3, 0, "later")],
    [
      "releases it under a value that an extension drew",
      () => granted().seekExtension(11.4, 0, "a", 1000).extended(12.5, 0, "a2").release(12.6, 0, "a2"),
    ],
  ])("holds nothing by it later: it %s", (_, before) => {
    expect(accused(twice(before()))).toEqual(expect.arrayContaining(EXCLUSION));
    expect(accused(inTurn(before()))).toEqual([]);
  });

  it("still holds what it entered as often again", () => {
    const entered = (): Recording => granted().reenter(11.4, 0, "a").release(13.5, 0, "a").extend(30.2, 0, "a");
    const other = (before: Recording): Recording => before.seek(50.2, 1).granted(90.3, 1, "b").release(120.4, 1, "b");
    expect(accused(other(entered()).release(140.5, 0, "a"))).toEqual(expect.arrayContaining(EXCLUSION));
    expect(accused(other(entered().release(40.4, 0, "a")))).toEqual([]);
    const given = granted().reenter(11.4, 0, "a").release(13.5, 0, "a").release(14.6, 0, "a");
    expect(accused(other(given))).toEqual([]);
  });

  it("gives up what it holds already, rather than what it enters again", () => {
    const again = granted()
      .seek(40.2, 0, { inner: true })
      .granted(41.3, 0, "a")
      .release(42.4, 0, "a")
      .extend(50.2, 0, "a");
    const other = again.seek(60.2, 1).granted(90.3, 1, "b").release(120.4, 1, "b");
    expect(accused(other.release(140.5, 0, "a"))).toEqual(expect.arrayContaining(EXCLUSION));
    const given = granted().seek(20.2, 0, { inner: true }).granted(21.3, 0, "a").release(22.4, 0, "a");
    expect(accused(given.release(60.2, 0, "a").acquire(80.2, 1, "b").release(120.4, 1, "b"))).toEqual([]);
  });

  it("is another than one that knows of no grant yet", () => {
    // Process 4 is another task of the same client, which may have released an older hold.
    const older = recording().seek(10.2, 0).leave(10.4, 4, "a").granted(11.3, 0, "a").left(11.4, 4, false);
    const other = older.seek(50.2, 1).granted(90.3, 1, "b");
    expect(accused(other.release(120.4, 1, "b").release(140.5, 0, "a"))).not.toContain("owner-release");
  });

  it("is not accused of having taken what others hold", () => {
    const fast = recording().acquire(1.1, 1, "b", { ttlMs: 10 }).seek(12.2, 0).granted(13.3, 0, "a");
    expect(accused(fast.release(13.4, 0, "a").acquire(40.2, 2, "c").release(60.2, 2, "c"))).toEqual([]);
  });

  it("gives up what was its own, and nobody else's lock", () => {
    const beside = recording().acquire(1.1, 1, "b").seek(12.2, 0).granted(53.3, 0, "a").release(53.4, 0, "a");
    const third = beside.seek(60.2, 2).granted(80.3, 2, "c").release(120.4, 2, "c").release(140.5, 1, "b");
    const { "lease-exclusion": exclusion } = checkHistory(third.history, { foreign: true }).properties;
    expect(exclusion?.violations.map(({ cause }) => cause)).toEqual(["double-grant"]);
  });
});
