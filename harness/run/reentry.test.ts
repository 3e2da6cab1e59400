import { describe, expect, test } from "vitest";
import { SessionFixture } from "./testing/session-fixture.ts";

describe("a re-entry", () => {
  const reenter = {
    do: "reenter" as const,
    ttlMs: 500,
    steps: [{ do: "hold" as const, forMs: 10 }],
  };

  test("that is granted does its steps and is left before the outer hold", async () => {
    const fixture = new SessionFixture();
    fixture.system.lock.reentrant = true;
    await fixture.settle({ steps: [reenter, { do: "write" }] });
    expect(fixture.story).toEqual([
      "0 acquire:invoke 0",
      "0 acquire:ok 1",
      "0 acquire:invoke 1",
      "0 acquire:ok 2",
      "0 release:invoke 12",
      "0 release:ok 13",
      "0 write:invoke 13",
      "0 write:ok 14",
      "0 release:invoke 14",
      "0 release:ok 15",
    ]);
    expect(fixture.values("acquire", "invoke")).toEqual([
      { ttlMs: 1000, waitMs: 0 },
      { ttlMs: 500, waitMs: 0, inner: true },
    ]);
    expect(fixture.values("release", "ok")).toEqual([{ released: true }, { released: true }]);
  });

  test("that is refused skips its steps, and the outer hold goes on", async () => {
    const fixture = new SessionFixture();
    await fixture.settle({ steps: [reenter, { do: "write" }] });
    expect(fixture.story).toEqual([
      "0 acquire:invoke 0",
      "0 acquire:ok 1",
      "0 acquire:invoke 1",
      "0 acquire:fail 2",
      "0 write:invoke 2",
      "0 write:ok 3",
      "0 release:invoke 3",
      "0 release:ok 4",
    ]);
  });

  test("can be left to the outer release", async () => {
    const fixture = new SessionFixture();
    fixture.system.lock.reentrant = true;
    await fixture.settle({ steps: [{ ...reenter, release: false }] });
    expect(fixture.story.filter((line) => line.includes("release:invoke"))).toHaveLength(1);
  });
});

test("a reader acquires again as a writer, if the plan says so", async () => {
  const fixture = new SessionFixture();
  fixture.system.lock.reentrant = true;
  await fixture.settle({ mode: "shared", steps: [{ do: "reenter", ttlMs: 500, mode: "exclusive", steps: [] }] });
  expect(fixture.values("acquire", "invoke")).toEqual([
    { ttlMs: 1000, waitMs: 0, mode: "shared" },
    { ttlMs: 500, waitMs: 0, mode: "exclusive", inner: true },
  ]);
});
