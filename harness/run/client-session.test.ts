import { describe, expect, test } from "vitest";
import { SessionFixture, type SectionInput } from "./testing/session-fixture.ts";
import { idle } from "./testing/virtual-clock.ts";

const contended = { ok: false, kind: "contended", reason: "held by another" } as const;
const indeterminate = { ok: false, kind: "indeterminate", reason: "timed out" } as const;

describe("a section", () => {
  test("acquires, does its steps and releases, each operation with what was asked and answered", async () => {
    const fixture = new SessionFixture();
    await fixture.settle({
      waitMs: 5,
      steps: [{ do: "write" }, { do: "hold", forMs: 30 }, { do: "extend", ttlMs: 700 }],
    });
    expect(fixture.story).toEqual([
      "0 acquire:invoke 0",
      "0 acquire:ok 1",
      "0 write:invoke 1",
      "0 write:ok 2",
      "0 extend:invoke 32",
      "0 extend:ok 33",
      "0 release:invoke 33",
      "0 release:ok 34",
    ]);
    expect(fixture.events.map(({ value }) => value)).toEqual([
      { ttlMs: 1000, waitMs: 5 },
      { owner: "owner-1", fence: 1, validForMs: 1000, grantedAt: 1e6 },
      { owner: "owner-1", fence: 1, data: "p0-1" },
      { position: 1 },
      { owner: "owner-1", ttlMs: 700 },
      { owner: "owner-1", validForMs: 700, grantedAt: 33e6 },
      { owner: "owner-1" },
      { released: true },
    ]);
  });

  test("of a lock without leases asks for one without an end, and records that", async () => {
    const fixture = new SessionFixture({ leases: false });
    await fixture.settle({
      steps: [
        { do: "extend", ttlMs: 700 },
        { do: "reenter", ttlMs: 500, steps: [] },
      ],
    });
    const asked = ["acquire", "extend"].flatMap((f) => fixture.values(f, "invoke"));
    expect(asked.map((value) => (value as { ttlMs: number }).ttlMs)).toEqual([1e9, 1e9, 1e9]);
    const requests = fixture.system.client(0).requests.filter(({ op }) => op === "acquire" || op === "extend");
    expect(requests.map((request) => "ttlMs" in request && request.ttlMs)).toEqual([1e9, 1e9, 1e9]);
  });

  test("says how it shares its key, also when it enters again", async () => {
    const fixture = new SessionFixture();
    await fixture.settle({ limit: 2, permits: 1, steps: [{ do: "reenter", ttlMs: 500, steps: [] }] });
    expect(fixture.values("acquire", "invoke")).toEqual([
      { ttlMs: 1000, waitMs: 0, limit: 2, permits: 1 },
      { ttlMs: 500, waitMs: 0, limit: 2, permits: 1, inner: true },
    ]);
  });

  test("that takes several keys at once is recorded as one operation of each, under numbers of its own", async () => {
    const fixture = new SessionFixture();
    await fixture.settle({ alsoKeys: ["k2", "k3"], steps: [{ do: "extend", ttlMs: 700 }] });
    const told = fixture.events.map((event) =>
      "key" in event ? `${event.process} ${event.f}:${event.type} ${event.key}` : "",
    );
    for (const [index, key] of ["k1", "k2", "k3"].entries()) {
      const own = told.filter((each) => each.endsWith(key));
      const process = index * 2;
      expect(own).toEqual(
        ["acquire:invoke", "acquire:ok", "extend:invoke", "extend:ok", "release:invoke", "release:ok"].map(
          (each) => `${process} ${each} ${key}`,
        ),
      );
    }
    expect(new Set(fixture.values("acquire", "invoke").map((value) => JSON.stringify(value)))).toEqual(
      new Set(
        [
          ["k2", "k3"],
          ["k1", "k3"],
          ["k1", "k2"],
        ].map((alsoKeys) => JSON.stringify({ ttlMs: 1000, waitMs: 0, alsoKeys })),
      ),
    );
  });

  test("that forgets its lock does not release it", async () => {
    const fixture = new SessionFixture();
    await fixture.settle({ release: false });
    expect(fixture.story).toEqual(["0 acquire:invoke 0", "0 acquire:ok 1"]);
  });

  test("goes on as another process after an answer that was none, which the history names", async () => {
    const fixture = new SessionFixture();
    fixture.system.answer = (_, { op }) =>
      op === "release" ? { ok: false, kind: "invalid-answer", reason: "no text" } : undefined;
    await fixture.settle({}, {});
    expect(fixture.story.slice(2, 5)).toEqual(["0 release:invoke 1", "0 release:info 2", "2 acquire:invoke 2"]);
    expect(fixture.values("release", "info")).toContainEqual({ reason: "invalid-answer", detail: "no text" });
  });

  test("begins when its trigger fires", async () => {
    const fixture = new SessionFixture();
    await fixture.settle({ after: { atMs: 40 } });
    expect(fixture.story[0]).toBe("0 acquire:invoke 40");
  });

  test("whose lock is not granted skips its steps, and the next section goes on", async () => {
    const fixture = new SessionFixture();
    fixture.system.answer = (_, { op }) => (op === "acquire" && fixture.events.length === 1 ? contended : undefined);
    await fixture.settle({ steps: [{ do: "write" }] }, {});
    expect(fixture.story).toEqual([
      "0 acquire:invoke 0",
      "0 acquire:fail 1",
      "0 acquire:invoke 1",
      "0 acquire:ok 2",
      "0 release:invoke 2",
      "0 release:ok 3",
    ]);
    expect(fixture.values("acquire", "fail")).toEqual([{ reason: "contended", detail: "held by another" }]);
  });

  test("tries as often as it may, 50 ms after the last, until it is granted", async () => {
    const fixture = new SessionFixture();
    fixture.system.answer = (_, { op }) =>
      op === "acquire" && fixture.system.clock.nowMs < 60 ? contended : undefined;
    await fixture.settle({ tries: 5 });
    expect(fixture.story.slice(0, 6)).toEqual([
      "0 acquire:invoke 0",
      "0 acquire:fail 1",
      "0 acquire:invoke 51",
      "0 acquire:fail 52",
      "0 acquire:invoke 102",
      "0 acquire:ok 103",
    ]);
    const stubborn = new SessionFixture();
    stubborn.system.answer = () => contended;
    await stubborn.settle({ tries: 3 });
    expect(stubborn.values("acquire", "fail")).toHaveLength(3);
    expect(stubborn.system.clock.nowMs).toBe(103);
  });

  test("does not try again what the lock cannot do", async () => {
    const fixture = new SessionFixture();
    fixture.system.answer = () => ({ ok: false, kind: "unsupported", reason: "one permit at a time" });
    await fixture.settle({ tries: 3, steps: [{ do: "write" }] });
    expect(fixture.story).toEqual(["0 acquire:invoke 0", "0 acquire:fail 1"]);
  });
});

describe("completions", () => {
  test.each([
    [{ ...contended }, "fail", { reason: "contended", detail: "held by another" }],
    [{ ok: false, kind: "refused", reason: "stale" }, "fail", { reason: "refused", detail: "stale" }],
    [{ ok: false, kind: "error", reason: "no quorum" }, "fail", { reason: "no quorum" }],
    [{ ok: false, kind: "unsupported", reason: "cannot" }, "fail", { reason: "cannot" }],
    [{ ...indeterminate }, "info", { reason: "timed out" }],
  ] as const)("%o is a %s", async (reply, type, value) => {
    const fixture = new SessionFixture();
    fixture.system.answer = (_, { op }) => (op === "write" ? reply : undefined);
    await fixture.settle({ steps: [{ do: "write" }] });
    expect(fixture.values("write", type)).toEqual([value]);
  });

  test("info retires the process number; the same client goes on under the next of its own", async () => {
    const fixture = new SessionFixture();
    fixture.system.answer = (_, { op }) => (op === "write" ? indeterminate : undefined);
    await fixture.settle({ steps: [{ do: "write" }, { do: "write" }] });
    expect(fixture.story.map((line) => line.replace(/ \d+$/, ""))).toEqual([
      "0 acquire:invoke",
      "0 acquire:ok",
      "0 write:invoke",
      "0 write:info",
      "2 write:invoke",
      "2 write:info",
      "4 release:invoke",
      "4 release:ok",
    ]);
    expect(fixture.values("write", "invoke")).toEqual([
      { owner: "owner-1", fence: 1, data: "p0-1" },
      { owner: "owner-1", fence: 1, data: "p2-2" },
    ]);
    expect(fixture.session.processes).toEqual([4]);
  });
});

describe("triggers", () => {
  test("know a client under all its numbers", async () => {
    const fixture = new SessionFixture();
    fixture.system.answer = (_, { op }) => (op === "write" ? indeterminate : undefined);
    const after: number[] = [];
    void fixture.board.wait({ on: "release:ok", client: 0 }).then(() => after.push(...fixture.session.processes));
    await fixture.settle({ steps: [{ do: "write" }] });
    expect(after).toEqual([2]);
  });

  test("can hang on the end of a release that reports no result", async () => {
    const fixture = new SessionFixture();
    fixture.system.answer = (_, { op }) => (op === "release" ? indeterminate : undefined);
    const after: string[][] = [];
    void fixture.board.wait({ on: "release:end", client: 0 }).then(() => after.push([...fixture.story]));
    await fixture.settle({ steps: [] });
    expect(after.map((story) => story.at(-1))).toEqual(["0 release:info 2"]);
  });

  test("can hang on a lost lease", async () => {
    const fixture = new SessionFixture();
    let fired = 0;
    void fixture.board.wait({ on: "lost", client: 0 }).then(() => (fired += 1));
    const run = fixture.run({ steps: [{ do: "hold", forMs: 20 }] });
    await fixture.system.clock.advance(5);
    fixture.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await fixture.system.clock.settle(run);
    expect(fired).toBe(1);
  });
});

describe("reads", () => {
  test("that were not done leave writes without a base", async () => {
    const fixture = new SessionFixture();
    await fixture.settle({ steps: [{ do: "write" }, { do: "write" }] });
    for (const value of fixture.values("write", "invoke")) expect(value).not.toHaveProperty("basedOn");
  });

  test("say what the writes that follow are based on, which then build on each other", async () => {
    const fixture = new SessionFixture();
    await fixture.settle(
      { steps: [{ do: "write" }, { do: "read" }, { do: "write" }, { do: "write" }] },
      { steps: [{ do: "write" }] },
    );
    expect(fixture.values("write", "invoke").map((value) => (value as { basedOn?: number }).basedOn)).toEqual([
      undefined,
      1,
      2,
      undefined,
    ]);
    expect(fixture.values("read", "ok")).toEqual([{ position: 1 }]);
  });

  test("that fail, and writes that fail, leave the base as it was", async () => {
    const fixture = new SessionFixture();
    let writes = 0;
    fixture.system.answer = (_, { op }) =>
      op === "write" && (writes += 1) === 1 ? { ok: false, kind: "error", reason: "not sent" } : undefined;
    await fixture.settle({ steps: [{ do: "read" }, { do: "write" }, { do: "write" }] });
    expect(fixture.values("write", "invoke")).toMatchObject([{ basedOn: 0 }, { basedOn: 0 }]);
  });
});

describe("await", () => {
  test("ends with its event, or after its time at the most", async () => {
    const fixture = new SessionFixture();
    const until = { on: "write:ok", client: 1 } as const;
    const run = fixture.run({
      steps: [
        { do: "await", until, atMostMs: 500 },
        { do: "await", until: { ...until, count: 2 }, atMostMs: 20 },
      ],
    });
    await fixture.system.clock.advance(101);
    await fixture.board.publish({ kind: "write:ok", client: 1 });
    await fixture.system.clock.settle(run);
    expect(fixture.story.at(-2)).toBe("0 release:invoke 121");
    expect(fixture.system.clock.sleepers).toBe(0);
  });
});

test("a place in the queue is recorded between the invocation and the completion of the acquire", async () => {
  const fixture = new SessionFixture();
  const run = fixture.run({});
  await fixture.system.clock.advance(0);
  fixture.system.client(0).tellQueued({ key: "k1" });
  await fixture.system.clock.settle(run);
  expect(fixture.story.slice(0, 3)).toEqual(["0 acquire:invoke 0", "0 queue:queued 0", "0 acquire:ok 1"]);
});

describe("a lost lease", () => {
  test("is recorded, stops what the holder does, and is released all the same", async () => {
    const fixture = new SessionFixture();
    const run = fixture.run({ steps: [{ do: "hold", forMs: 5000 }, { do: "write" }] }, {});
    await fixture.system.clock.advance(40);
    fixture.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await fixture.system.clock.settle(run);
    expect(fixture.story.slice(2, 5)).toEqual(["0 lease:lost 40", "0 release:invoke 40", "0 release:ok 41"]);
    expect(fixture.values("lease", "lost")).toEqual([{ owner: "owner-1" }]);
    expect(fixture.values("write", "invoke")).toEqual([]);
    expect(fixture.story.slice(5)).toHaveLength(4);
  });

  test("of an earlier hold is recorded and stops nothing", async () => {
    const fixture = new SessionFixture();
    const run = fixture.run({}, { steps: [{ do: "hold", forMs: 50 }, { do: "write" }] });
    await fixture.system.clock.advance(30);
    fixture.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await fixture.system.clock.settle(run);
    expect(fixture.values("lease", "lost")).toHaveLength(1);
    expect(fixture.values("write", "ok")).toHaveLength(1);
  });

  test("stops the holder also when it is told while a fault on its grant is being injected", async () => {
    const fixture = new SessionFixture();
    void fixture.board.when({ on: "acquire:ok" }, () => fixture.system.clock.sleep(100));
    const run = fixture.run({ steps: [{ do: "write" }] });
    await fixture.system.clock.advance(50);
    fixture.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await fixture.system.clock.settle(run);
    expect(fixture.values("write", "invoke")).toEqual([]);
    expect(fixture.values("release", "ok")).toHaveLength(1);
  });

  test("of an owner value that the lock uses again does not stop the next hold", async () => {
    const fixture = new SessionFixture();
    fixture.system.answer = (_, { op }) => (op === "acquire" ? { ok: true, owner: "always-the-same" } : undefined);
    const run = fixture.run({ steps: [{ do: "hold", forMs: 50 }] }, { steps: [{ do: "write" }] });
    await fixture.system.clock.advance(30);
    fixture.system.client(0).tellLost({ key: "k1", owner: "always-the-same" });
    await fixture.system.clock.settle(run);
    expect(fixture.values("write", "invoke")).toHaveLength(1);
  });
});

describe("a client that dies", () => {
  test("in an operation leaves it indeterminate and does nothing more", async () => {
    const fixture = new SessionFixture();
    fixture.system.answer = (_, { op }) => {
      if (op === "write") void fixture.system.client(0).kill();
      return undefined;
    };
    await fixture.settle({ steps: [{ do: "write" }, { do: "hold", forMs: 500 }, { do: "write" }] }, {});
    expect(fixture.story).toEqual(["0 acquire:invoke 0", "0 acquire:ok 1", "0 write:invoke 1", "0 write:info 2"]);
    expect(fixture.system.clock.nowMs).toBe(2);
  });

  test("between two operations invokes nothing more", async () => {
    const fixture = new SessionFixture();
    const run = fixture.run({ steps: [{ do: "hold", forMs: 20 }, { do: "write" }] }, {});
    await fixture.system.clock.advance(5);
    await fixture.system.client(0).kill();
    await fixture.system.clock.settle(run);
    expect(fixture.story).toEqual(["0 acquire:invoke 0", "0 acquire:ok 1"]);
  });

  test("at the moment of its invocation certainly did nothing, and tries no more", async () => {
    const fixture = new SessionFixture();
    void fixture.board.when({ on: "acquire:invoke" }, async () => void (await fixture.system.client(0).kill()));
    await fixture.settle({ tries: 3 }, {});
    expect(fixture.story).toEqual(["0 acquire:invoke 0", "0 acquire:fail 0"]);
    expect(fixture.system.clock.nowMs).toBe(0);
  });
});

describe("the end of the run", () => {
  test("rejects with the run's reason, invokes nothing new, and records what still comes back", async () => {
    const fixture = new SessionFixture();
    const run = fixture.run({ steps: [{ do: "write" }, { do: "write" }] });
    const outcome = expect(run).rejects.toThrow("over");
    await fixture.system.clock.advance(1.5);
    fixture.stop.abort(new Error("over"));
    await fixture.system.clock.advance(10);
    await outcome;
    expect(fixture.story.slice(2)).toEqual(["0 write:invoke 1", "0 write:ok 2"]);
  });

  test("an operation held up by a fault at its invocation is not begun after the end", async () => {
    const fixture = new SessionFixture();
    void fixture.board.when({ on: "acquire:invoke" }, () => fixture.system.clock.sleep(30));
    const outcome = expect(fixture.run({})).rejects.toThrow("over");
    await idle();
    fixture.stop.abort(new Error("over"));
    await fixture.system.clock.advance(50);
    await outcome;
    expect(fixture.system.client(0).requests).toEqual([]);
    expect(fixture.story).toEqual(["0 acquire:invoke 0"]);
  });

  test.each(["hold", "await"] as const)("ends a %s", async (step) => {
    const fixture = new SessionFixture();
    const steps: SectionInput["steps"] =
      step === "hold"
        ? [{ do: "hold", forMs: 9000 }]
        : [{ do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 9000 }];
    const outcome = expect(fixture.run({ steps, release: false })).rejects.toThrow("over");
    await fixture.system.clock.advance(10);
    fixture.stop.abort(new Error("over"));
    await outcome;
    expect(fixture.system.clock.sleepers).toBe(0);
  });
});
