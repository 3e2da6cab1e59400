import { describe, expect, test } from "vitest";
import { ClientStage, type SectionInput } from "./testing/client-stage.ts";
import { idle } from "./testing/virtual-clock.ts";

const contended = { ok: false, kind: "contended", reason: "held by another" } as const;
const indeterminate = { ok: false, kind: "indeterminate", reason: "timed out" } as const;

describe("a section", () => {
  test("acquires, does its steps and releases, each operation with what was asked and answered", async () => {
    const stage = new ClientStage();
    await stage.settle({
      waitMs: 5,
      steps: [{ do: "write" }, { do: "hold", forMs: 30 }, { do: "extend", ttlMs: 700 }],
    });
    expect(stage.story).toEqual([
      "0 acquire:invoke 0",
      "0 acquire:ok 1",
      "0 write:invoke 1",
      "0 write:ok 2",
      "0 extend:invoke 32",
      "0 extend:ok 33",
      "0 release:invoke 33",
      "0 release:ok 34",
    ]);
    expect(stage.events.map(({ value }) => value)).toEqual([
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

  test("that forgets its lock does not release it", async () => {
    const stage = new ClientStage();
    await stage.settle({ release: false });
    expect(stage.story).toEqual(["0 acquire:invoke 0", "0 acquire:ok 1"]);
  });

  test("begins when its trigger fires", async () => {
    const stage = new ClientStage();
    await stage.settle({ after: { atMs: 40 } });
    expect(stage.story[0]).toBe("0 acquire:invoke 40");
  });

  test("whose lock is not granted skips its steps, and the next section goes on", async () => {
    const stage = new ClientStage();
    stage.system.answer = (_, { op }) => (op === "acquire" && stage.events.length === 1 ? contended : undefined);
    await stage.settle({ steps: [{ do: "write" }] }, {});
    expect(stage.story).toEqual([
      "0 acquire:invoke 0",
      "0 acquire:fail 1",
      "0 acquire:invoke 1",
      "0 acquire:ok 2",
      "0 release:invoke 2",
      "0 release:ok 3",
    ]);
    expect(stage.values("acquire", "fail")).toEqual([{ reason: "contended", detail: "held by another" }]);
  });

  test("tries as often as it may, 50 ms after the last, until it is granted", async () => {
    const stage = new ClientStage();
    stage.system.answer = (_, { op }) => (op === "acquire" && stage.system.clock.nowMs < 60 ? contended : undefined);
    await stage.settle({ tries: 5 });
    expect(stage.story.slice(0, 6)).toEqual([
      "0 acquire:invoke 0",
      "0 acquire:fail 1",
      "0 acquire:invoke 51",
      "0 acquire:fail 52",
      "0 acquire:invoke 102",
      "0 acquire:ok 103",
    ]);
    const stubborn = new ClientStage();
    stubborn.system.answer = () => contended;
    await stubborn.settle({ tries: 3 });
    expect(stubborn.values("acquire", "fail")).toHaveLength(3);
    expect(stubborn.system.clock.nowMs).toBe(103);
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
    const stage = new ClientStage();
    stage.system.answer = (_, { op }) => (op === "write" ? reply : undefined);
    await stage.settle({ steps: [{ do: "write" }] });
    expect(stage.values("write", type)).toEqual([value]);
  });

  test("info retires the process number; the same client goes on under the next of its own", async () => {
    const stage = new ClientStage();
    stage.system.answer = (_, { op }) => (op === "write" ? indeterminate : undefined);
    await stage.settle({ steps: [{ do: "write" }, { do: "write" }] });
    expect(stage.story.map((line) => line.replace(/ \d+$/, ""))).toEqual([
      "0 acquire:invoke",
      "0 acquire:ok",
      "0 write:invoke",
      "0 write:info",
      "2 write:invoke",
      "2 write:info",
      "4 release:invoke",
      "4 release:ok",
    ]);
    expect(stage.values("write", "invoke")).toEqual([
      { owner: "owner-1", fence: 1, data: "p0-1" },
      { owner: "owner-1", fence: 1, data: "p2-2" },
    ]);
    expect(stage.session.process).toBe(4);
  });
});

describe("triggers", () => {
  test("know a client under all its numbers", async () => {
    const stage = new ClientStage();
    stage.system.answer = (_, { op }) => (op === "write" ? indeterminate : undefined);
    const after: number[] = [];
    void stage.board.wait({ on: "release:ok", client: 0 }).then(() => after.push(stage.session.process));
    await stage.settle({ steps: [{ do: "write" }] });
    expect(after).toEqual([2]);
  });

  test("can hang on a lost lease", async () => {
    const stage = new ClientStage();
    let fired = 0;
    void stage.board.wait({ on: "lost", client: 0 }).then(() => (fired += 1));
    const run = stage.run({ steps: [{ do: "hold", forMs: 20 }] });
    await stage.system.clock.advance(5);
    stage.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await stage.system.clock.settle(run);
    expect(fired).toBe(1);
  });
});

describe("reads", () => {
  test("that were not done leave writes without a base", async () => {
    const stage = new ClientStage();
    await stage.settle({ steps: [{ do: "write" }, { do: "write" }] });
    for (const value of stage.values("write", "invoke")) expect(value).not.toHaveProperty("basedOn");
  });

  test("say what the writes that follow are based on, which then build on each other", async () => {
    const stage = new ClientStage();
    await stage.settle(
      { steps: [{ do: "write" }, { do: "read" }, { do: "write" }, { do: "write" }] },
      { steps: [{ do: "write" }] },
    );
    expect(stage.values("write", "invoke").map((value) => (value as { basedOn?: number }).basedOn)).toEqual([
      undefined,
      1,
      2,
      undefined,
    ]);
    expect(stage.values("read", "ok")).toEqual([{ position: 1 }]);
  });

  test("that fail, and writes that fail, leave the base as it was", async () => {
    const stage = new ClientStage();
    let writes = 0;
    stage.system.answer = (_, { op }) =>
      op === "write" && (writes += 1) === 1 ? { ok: false, kind: "error", reason: "not sent" } : undefined;
    await stage.settle({ steps: [{ do: "read" }, { do: "write" }, { do: "write" }] });
    expect(stage.values("write", "invoke")).toMatchObject([{ basedOn: 0 }, { basedOn: 0 }]);
  });
});

describe("await", () => {
  test("ends with its event, or after its time at the most", async () => {
    const stage = new ClientStage();
    const until = { on: "write:ok", client: 1 } as const;
    const run = stage.run({
      steps: [
        { do: "await", until, atMostMs: 500 },
        { do: "await", until: { ...until, count: 2 }, atMostMs: 20 },
      ],
    });
    await stage.system.clock.advance(101);
    await stage.board.publish({ anchor: "write:ok", client: 1 });
    await stage.system.clock.settle(run);
    expect(stage.story.at(-2)).toBe("0 release:invoke 121");
    expect(stage.system.clock.sleepers).toBe(0);
  });
});

describe("a lost lease", () => {
  test("is recorded, stops what the holder does, and is released all the same", async () => {
    const stage = new ClientStage();
    const run = stage.run({ steps: [{ do: "hold", forMs: 5000 }, { do: "write" }] }, {});
    await stage.system.clock.advance(40);
    stage.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await stage.system.clock.settle(run);
    expect(stage.story.slice(2, 5)).toEqual(["0 lease:lost 40", "0 release:invoke 40", "0 release:ok 41"]);
    expect(stage.values("lease", "lost")).toEqual([{ owner: "owner-1" }]);
    expect(stage.values("write", "invoke")).toEqual([]);
    expect(stage.story.slice(5)).toHaveLength(4);
  });

  test("of an earlier hold is recorded and stops nothing", async () => {
    const stage = new ClientStage();
    const run = stage.run({}, { steps: [{ do: "hold", forMs: 50 }, { do: "write" }] });
    await stage.system.clock.advance(30);
    stage.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await stage.system.clock.settle(run);
    expect(stage.values("lease", "lost")).toHaveLength(1);
    expect(stage.values("write", "ok")).toHaveLength(1);
  });

  test("stops the holder also when it is told while a fault on its grant is being injected", async () => {
    const stage = new ClientStage();
    void stage.board.when({ on: "acquire:ok" }, () => stage.system.clock.sleep(100));
    const run = stage.run({ steps: [{ do: "write" }] });
    await stage.system.clock.advance(50);
    stage.system.client(0).tellLost({ key: "k1", owner: "owner-1" });
    await stage.system.clock.settle(run);
    expect(stage.values("write", "invoke")).toEqual([]);
    expect(stage.values("release", "ok")).toHaveLength(1);
  });

  test("of an owner value that the lock uses again does not stop the next hold", async () => {
    const stage = new ClientStage();
    stage.system.answer = (_, { op }) => (op === "acquire" ? { ok: true, owner: "always-the-same" } : undefined);
    const run = stage.run({ steps: [{ do: "hold", forMs: 50 }] }, { steps: [{ do: "write" }] });
    await stage.system.clock.advance(30);
    stage.system.client(0).tellLost({ key: "k1", owner: "always-the-same" });
    await stage.system.clock.settle(run);
    expect(stage.values("write", "invoke")).toHaveLength(1);
  });
});

describe("a client that dies", () => {
  test("in an operation leaves it indeterminate and does nothing more", async () => {
    const stage = new ClientStage();
    stage.system.answer = (_, { op }) => {
      if (op === "write") void stage.system.client(0).kill();
      return undefined;
    };
    await stage.settle({ steps: [{ do: "write" }, { do: "hold", forMs: 500 }, { do: "write" }] }, {});
    expect(stage.story).toEqual(["0 acquire:invoke 0", "0 acquire:ok 1", "0 write:invoke 1", "0 write:info 2"]);
    expect(stage.system.clock.nowMs).toBe(2);
  });

  test("between two operations invokes nothing more", async () => {
    const stage = new ClientStage();
    const run = stage.run({ steps: [{ do: "hold", forMs: 20 }, { do: "write" }] }, {});
    await stage.system.clock.advance(5);
    await stage.system.client(0).kill();
    await stage.system.clock.settle(run);
    expect(stage.story).toEqual(["0 acquire:invoke 0", "0 acquire:ok 1"]);
  });

  test("at the moment of its invocation certainly did nothing, and tries no more", async () => {
    const stage = new ClientStage();
    void stage.board.when({ on: "acquire:invoke" }, async () => void (await stage.system.client(0).kill()));
    await stage.settle({ tries: 3 }, {});
    expect(stage.story).toEqual(["0 acquire:invoke 0", "0 acquire:fail 0"]);
    expect(stage.system.clock.nowMs).toBe(0);
  });
});

describe("the end of the run", () => {
  test("rejects with the run's reason, invokes nothing new, and records what still comes back", async () => {
    const stage = new ClientStage();
    const run = stage.run({ steps: [{ do: "write" }, { do: "write" }] });
    const outcome = expect(run).rejects.toThrow("over");
    await stage.system.clock.advance(1.5);
    stage.stop.abort(new Error("over"));
    await stage.system.clock.advance(10);
    await outcome;
    expect(stage.story.slice(2)).toEqual(["0 write:invoke 1", "0 write:ok 2"]);
  });

  test("an operation held up by a fault at its invocation is not begun after the end", async () => {
    const stage = new ClientStage();
    void stage.board.when({ on: "acquire:invoke" }, () => stage.system.clock.sleep(30));
    const outcome = expect(stage.run({})).rejects.toThrow("over");
    await idle();
    stage.stop.abort(new Error("over"));
    await stage.system.clock.advance(50);
    await outcome;
    expect(stage.system.client(0).requests).toEqual([]);
    expect(stage.story).toEqual(["0 acquire:invoke 0"]);
  });

  test.each(["hold", "await"] as const)("ends a %s", async (step) => {
    const stage = new ClientStage();
    const steps: SectionInput["steps"] =
      step === "hold"
        ? [{ do: "hold", forMs: 9000 }]
        : [{ do: "await", until: { on: "write:ok", client: 1 }, atMostMs: 9000 }];
    const outcome = expect(stage.run({ steps, release: false })).rejects.toThrow("over");
    await stage.system.clock.advance(10);
    stage.stop.abort(new Error("over"));
    await outcome;
    expect(stage.system.clock.sleepers).toBe(0);
  });
});
