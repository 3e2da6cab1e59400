import { expect, it } from "vitest";
import { generations } from "./reentry.ts";

it("enters again under the same owner while it holds, and under a new one afterwards", () => {
  const holds = generations();
  const outer = holds.next("k");
  expect(outer.inner).toBe(false);
  holds.entered("k", outer.owner);
  expect(holds.next("k")).toEqual({ owner: outer.owner, inner: true });
  holds.entered("k", outer.owner);
  holds.left("k", outer.owner);
  expect(holds.next("k").inner).toBe(true);
  holds.left("k", outer.owner);
  const next = holds.next("k");
  expect(next.inner).toBe(false);
  expect(next.owner).not.toBe(outer.owner);
});

it("is a first entry again when the hold was lost, regardless of its depth", () => {
  const holds = generations();
  const { owner } = holds.next("k");
  holds.entered("k", owner);
  holds.entered("k", owner);
  holds.lost("k", owner);
  expect(holds.next("k").inner).toBe(false);
});

it("does not take a late release of an old hold for one of the present hold", () => {
  const holds = generations();
  const old = holds.next("k").owner;
  holds.entered("k", old);
  holds.lost("k", old);
  const present = holds.next("k").owner;
  holds.entered("k", present);
  holds.left("k", old);
  holds.lost("k", old);
  expect(holds.next("k")).toEqual({ owner: present, inner: true });
});

it("is nobody else's: two clients never have the same owner", () => {
  expect(generations().next("k").owner).not.toBe(generations().next("k").owner);
});
