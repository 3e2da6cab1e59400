import { expect, test } from "vitest";
import { ReleasedOwners } from "./released-owners.ts";
import { SessionFixture } from "./testing/session-fixture.ts";

const release = { do: "release" } as const;
const previous = { do: "release", hold: "previous" } as const;

test("a client that has released releases once more at the end of its section, and says so", async () => {
  const fixture = new SessionFixture();
  await fixture.settle({ steps: [release, { do: "hold", forMs: 10 }, { do: "extend", ttlMs: 500 }] });
  expect(fixture.story).toEqual([
    "0 acquire:invoke 0",
    "0 acquire:ok 1",
    "0 release:invoke 1",
    "0 release:ok 2",
    "0 extend:invoke 12",
    "0 extend:fail 13",
    "0 release:invoke 13",
    "0 release:ok 14",
  ]);
  const [first] = fixture.values("release", "invoke");
  expect(fixture.values("release", "invoke")).toEqual([first, { ...(first as object), again: true }]);
  expect(fixture.values("extend", "invoke")).toMatchObject([{ again: true }]);
});

test("a client releases what it had before while it holds again, if it had anything", async () => {
  const fixture = new SessionFixture();
  await fixture.settle({ steps: [previous] }, { steps: [previous] });
  expect(fixture.values("release", "invoke")).toEqual([
    { owner: "owner-1" },
    { owner: "owner-1", again: true },
    { owner: "owner-2" },
  ]);
});

test("what is entered twice is released twice before a further release is one too many", async () => {
  const fixture = new SessionFixture();
  fixture.system.lock.reentrant = true;
  await fixture.settle({
    steps: [{ do: "reenter", ttlMs: 500, steps: [], release: false }, release, release],
  });
  const stated = fixture.values("release", "invoke").map((value) => "again" in (value as object));
  expect(stated).toEqual([false, false, true]);
});

test("a release that finds nothing leaves what the client was granted since it asked", () => {
  const released = new ReleasedOwners();
  const asked = (): number => released.granted("k", "a");
  released.grant("k", "a");
  const before = asked();
  // Another task of the client, under the same owner value.
  released.grant("k", "a");
  released.release("k", "a", { found: false, grantedBefore: before });
  expect(released.statement("k", "a")).toEqual({});
  released.release("k", "a", { found: false, grantedBefore: asked() });
  expect(released.statement("k", "a")).toEqual({ again: true });
});
