import { describe, expect, test } from "vitest";
import { SessionFixture } from "./testing/session-fixture.ts";

const indeterminate = { ok: false, kind: "indeterminate", reason: "timed out" } as const;

/** A client that may be asked for two things at once. */
function fixtureOfTwo(): SessionFixture {
  const fixture = new SessionFixture();
  fixture.system.client(0).mostAtOnce = 2;
  return fixture;
}

const hold = { do: "hold", forMs: 10 } as const;

describe("tasks of a client", () => {
  test("run at the same time, each under process numbers of its own, and the sections of each one after another", async () => {
    const fixture = fixtureOfTwo();
    await fixture.settle({ key: "a", steps: [hold] }, { key: "b", task: 1, steps: [hold] }, { key: "c", task: 1 });
    expect(fixture.storyWithKeys).toEqual([
      "0 acquire:invoke a 0",
      "2 acquire:invoke b 0",
      "0 acquire:ok a 1",
      "2 acquire:ok b 1",
      "0 release:invoke a 11",
      "2 release:invoke b 11",
      "0 release:ok a 12",
      "2 release:ok b 12",
      "2 acquire:invoke c 12",
      "2 acquire:ok c 13",
      "2 release:invoke c 13",
      "2 release:ok c 14",
    ]);
    expect(fixture.session.sectionsDone).toBe(3);
  });

  test("go on after an unknown outcome under numbers that no other task uses, also where they take several keys", async () => {
    const fixture = fixtureOfTwo();
    fixture.system.answer = (_, { op }) => (op === "release" ? indeterminate : undefined);
    await fixture.settle(
      { key: "a", alsoKeys: ["b"] },
      { key: "c", task: 5, alsoKeys: ["d"] },
      { key: "e" },
      { key: "f", task: 5 },
    );
    const numbersOf = (key: string): readonly string[] => [
      ...new Set(
        fixture.storyWithKeys.map((line) => line.split(" ")).flatMap(([of = "", , its]) => (its === key ? [of] : [])),
      ),
    ];
    expect(["a", "b", "c", "d", "e", "f"].map(numbersOf)).toEqual([["0"], ["4"], ["2"], ["6"], ["8"], ["10"]]);
    expect(fixture.session.processes).toEqual([12, 14]);
  });

  test("that are killed are all left with an unknown outcome", async () => {
    const fixture = fixtureOfTwo();
    const run = fixture.run({ key: "a" }, { key: "b", task: 1 });
    await fixture.system.clock.advance(0);
    await fixture.system.client(0).kill();
    await fixture.system.clock.settle(run);
    expect(fixture.story.filter((line) => line.includes("info"))).toEqual(["0 acquire:info 0", "2 acquire:info 0"]);
  });
});

describe("a notice of the lock", () => {
  test("of a lost lease ends the work of the task whose lease it is, and is recorded as that task's", async () => {
    const fixture = fixtureOfTwo();
    const run = fixture.run(
      { key: "a", steps: [{ ...hold, forMs: 50 }] },
      { key: "b", task: 1, steps: [{ ...hold, forMs: 50 }] },
    );
    await fixture.system.clock.advance(5);
    fixture.system.client(0).tellLost({ key: "b", owner: "owner-2" });
    await fixture.system.clock.settle(run);
    expect(fixture.story.filter((line) => /lost|release:invoke/.test(line))).toEqual([
      "2 lease:lost 5",
      "2 release:invoke 5",
      "0 release:invoke 51",
    ]);
  });

  test("that comes before the grant is recorded is of the task that asks for the key", async () => {
    const fixture = fixtureOfTwo();
    const run = fixture.run({ key: "a" }, { key: "b", task: 1 });
    await fixture.system.clock.advance(0);
    const of = fixture.system.client(0);
    of.tellQueued({ key: "b" });
    of.tellRenewed({ key: "b", owner: "owner-2", validForMs: 5, grantedAt: 0 });
    await fixture.system.clock.settle(run);
    expect(fixture.story.filter((line) => /queued|renewed/.test(line))).toEqual([
      "2 queue:queued 0",
      "2 lease:renewed 0",
    ]);
  });
});
