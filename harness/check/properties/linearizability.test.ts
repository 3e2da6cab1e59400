import { describe, expect, it } from "vitest";
import type { PropertyVerdict } from "../../core/verdict.ts";
import { checkHistory, type CheckOptions } from "../check.ts";
import { linearizability } from "./linearizability.ts";
import { StepBudget } from "../linearizability/step-budget.ts";
import { Recording } from "../testing/recording.ts";

function judged(recording: Recording, options: CheckOptions = {}): string {
  const found = checkHistory(recording.history, options).properties.linearizability;
  return [found?.verdict, ...(found?.violations ?? []).map(({ cause, events }) => `${cause} ${events.join()}`)].join(
    "; ",
  );
}

describe("linearizability", () => {
  it("lets a lease expire when the TTL is over, less the drift of clocks", () => {
    const recording = (atMs: number): Recording =>
      new Recording().acquire(0, 0, "a", { ttlMs: 1000 }).acquire(atMs, 1, "b");
    // 1000 ms less 1 % and 2 ms, from the invocation to the completion of the second.
    expect(judged(recording(987))).toBe("valid");
    expect(judged(recording(986.9))).toBe("invalid; double-grant 1,2,3");
  });

  it("lets the death of a client end a hold that only an extension shows", () => {
    const next = (dead: number): string =>
      judged(
        new Recording({ clients: 2, backend: "simulated" })
          .seek(0, 0, { ttlMs: 1000 })
          .info(5, 0, "acquire")
          .extend(10, 2, "a", { ttlMs: 1000 })
          .fault(20, "kill-client", { processes: [dead] })
          .acquire(30, 1, "b"),
      );
    expect(next(2)).toBe("valid");
    // The grant has no completion, so its invocation stands for it.
    expect(next(3)).toBe("invalid; double-grant 0,5,6");
  });

  it("lets an owner that was seen to hold by an acquire of unknown outcome enter again", () => {
    const seen = (owner: string, client: number): string =>
      judged(
        new Recording({ clients: 2, backend: "simulated" })
          .seek(0, 0, { ttlMs: 1000 })
          .info(5, 0, "acquire")
          .seek(10, 1)
          .refused(12, 1)
          .acquire(20, client, owner),
        { observeContention: true },
      );
    expect(seen("a", 2)).toBe("valid");
    // Another client can be granted it only once that lease is over.
    expect(seen("b", 1)).toMatch(/^invalid; /);
  });

  it("lets an acquire that was never answered have entered a hold that its client was granted meanwhile", () => {
    const killed = (owner: string): string =>
      judged(
        new Recording({ clients: 2, backend: "simulated" })
          .seek(0, 0, { ttlMs: 20 })
          .acquire(2, 2, owner, { ttlMs: 400 })
          .release(60, 2, "a", false)
          .fault(70, "kill-client", { processes: [0, 2] })
          .acquire(80, 4, "later"),
      );
    expect(killed("a")).toBe("valid");
    const alone = new Recording({ clients: 2, backend: "simulated" }).acquire(2, 2, "a", { ttlMs: 400 });
    expect(judged(alone.release(60, 2, "a", false).acquire(80, 4, "later"))).toMatch(/^invalid; lost-early/);
  });

  it("lets a lease expire when the validity is over that the lock reported", () => {
    const recording = (atMs: number, grant: { readonly validForMs: number; readonly grantedAt?: number }): Recording =>
      new Recording().acquire(0, 0, "a", { ttlMs: 1000, ...grant }).acquire(atMs, 1, "b");
    // The grant is completed at 1 ms, the second acquire a millisecond after it is invoked.
    expect(judged(recording(500, { validForMs: 500 }))).toBe("valid");
    expect(judged(recording(499.9, { validForMs: 500 }))).toMatch(/^invalid/);
    expect(judged(recording(499.5, { validForMs: 500, grantedAt: 0.5e6 }))).toBe("valid");
    expect(judged(recording(499.4, { validForMs: 500, grantedAt: 0.5e6 }))).toMatch(/^invalid/);
    expect(judged(recording(987, { validForMs: 2000 }))).toBe("valid");
    expect(judged(recording(986.9, { validForMs: 2000 }))).toMatch(/^invalid/);
  });

  it("accuses no release if the operations have an order once their fencing tokens are ignored", () => {
    const seeks = { ttlMs: 400, waitMs: 2000 };
    // client-0 was granted the lock first, and took its fencing token last.
    const overtaken = new Recording({ clients: 3 })
      .seek(0, 0, seeks)
      .seek(8, 1, seeks)
      .granted(480, 1, "b", { fence: 1 })
      .granted(510, 0, "a", { fence: 2 })
      .leave(520, 1, "b")
      .info(521, 1, "release")
      .seek(522, 1, seeks)
      .granted(523, 1, "c", { fence: 3 })
      .leave(524, 1, "c")
      .info(525, 1, "release")
      .leave(600, 0, "a")
      .info(601, 0, "release");
    expect(judged(overtaken)).toMatch(/^invalid; contradiction/);
  });

  it("names a release of unknown outcome that may have taken a lease whose beginning is known from the operations alone", () => {
    const taken = (release: (recording: Recording) => Recording): Recording =>
      release(
        new Recording({ clients: 3 })
          .seek(0, 0, { ttlMs: 1000, waitMs: 5000 })
          .granted(1, 0, "a")
          .seek(40, 1, { ttlMs: 1000, waitMs: 5000 })
          .granted(1010, 1, "b"),
      )
        .seek(1200, 2, { ttlMs: 1000, waitMs: 5000 })
        .granted(1201, 2, "c");
    expect(judged(taken((it) => it.leave(1100, 0, "a").info(1101, 0, "release")))).toBe(
      "invalid; foreign-release 3,4,5,6,7",
    );
    expect(judged(taken((it) => it))).toBe("invalid; double-grant 3,4,5");
  });

  it("lets a lease go when its holder was told so", () => {
    const told = (lostMs: number): Recording =>
      new Recording().acquire(0, 0, "a").seek(5, 1).lost(lostMs, 0, "a").granted(20, 1, "b");
    expect(judged(told(10))).toBe("valid");
    expect(judged(new Recording().acquire(0, 0, "a").acquire(5, 1, "b").lost(10, 0, "a"))).toMatch(/^invalid/);
    expect(judged(new Recording().acquire(0, 0, "a").lost(3, 0, "other").acquire(5, 1, "b"))).toMatch(/^invalid/);
  });

  it("blames the late answer for an extension that comes when the lease is over and others have held the lock", () => {
    const extended = (validForMs: number): Recording =>
      new Recording()
        .acquire(0, 0, "a", { ttlMs: 100 })
        .seekExtension(50, 0, "a", 200)
        .acquire(120, 1, "b", { ttlMs: 100 })
        .release(140, 1, "b")
        .extended(400, 0, "a", { validForMs });
    expect(judged(extended(-150))).toMatch(/^invalid; expired-grant /);
    expect(judged(extended(0))).toMatch(/^invalid; expired-grant /);
    expect(judged(extended(1))).toMatch(/^invalid; foreign-release /);
  });

  it("counts refusals only when asked to", () => {
    const recording = new Recording().acquire(0, 0, "a").release(2, 0, "a").fail(5, 1).acquire(8, 1, "b");
    expect(judged(recording)).toBe("valid");
    expect(judged(recording, { observeContention: true })).toBe("invalid; double-grant 2,6,7");
    const refused = (facts = {}): Recording => new Recording(facts).acquire(0, 0, "a").release(2, 0, "a").fail(5, 1);
    expect(judged(refused({ backend: "simulated" }), { observeContention: true })).toBe(
      "invalid; refused-while-free 5",
    );
    // The first grant may have been a re-entry of a hold from before the history.
    expect(judged(refused(), { observeContention: true })).toBe("valid");
    expect(judged(refused(), { observeContention: true, model: "owner-aware-mutex" })).toBe(
      "invalid; refused-while-free 5",
    );
    const other = new Recording().acquire(0, 0, "a").release(2, 0, "a").seek(5, 1).refused(6, 1, "NOREPLICAS");
    expect(judged(other, { observeContention: true })).toBe("valid");
  });

  it("lets a stranger release what nobody was told of, and no one else", () => {
    const granted = (): Recording => new Recording().seek(0, 0).info(5, 0, "acquire");
    expect(judged(granted().release(6, 1, "a").acquire(9, 2, "b"))).toBe("valid");
    const nobodys = new Recording({ backend: "simulated" }).release(6, 1, "a").acquire(9, 2, "b");
    expect(judged(nobodys)).toBe("invalid; foreign-release 0,1");
    const known = granted().acquire(10, 1, "b").release(12, 1, "b").acquire(20, 2, "c").release(22, 1, "b");
    expect(judged(known)).toBe("invalid; foreign-release 7,8,9");
  });

  it("lets another client release what an acquire under way may hold under an owner value that its client had before", () => {
    const granted = new Recording({ clients: 3, backend: "simulated" })
      .acquire(0, 0, "a", { ttlMs: 5 })
      .acquire(10, 2, "b", { ttlMs: 5 });
    const released = granted.seek(20, 0).leave(21, 1, "a").info(22, 0, "acquire").left(23, 1);
    expect(judged(released.acquire(30, 2, "c"))).toBe("valid");
    const idle = new Recording({ clients: 3, backend: "simulated" })
      .acquire(0, 0, "a", { ttlMs: 5 })
      .acquire(10, 2, "b", { ttlMs: 5 });
    expect(judged(idle.release(21, 1, "a").acquire(30, 2, "c"))).toBe("invalid; foreign-release 3,4,5");
  });

  it("knows that a hold of unknown outcome has a larger fencing token than those before it", () => {
    const ttlMs = 3500;
    const granted = (fence: number): Recording =>
      new Recording({ clients: 2, backend: "simulated" })
        .seek(1000, 1, { ttlMs })
        .seek(2000, 0, { ttlMs })
        .info(3000, 1, "acquire")
        .seek(4000, 3, { ttlMs })
        .granted(5000, 3, "b", { fence: 1 })
        .leave(7000, 3, "b")
        .info(8000, 3, "release")
        .granted(9000, 0, "a", { fence });
    expect(judged(granted(1))).toMatch(/^invalid/);
    expect(judged(granted(2))).toBe("valid");
  });

  it("lets an acquire under way take the lock under an owner value that several clients use", () => {
    const free = { clients: 2, backend: "simulated" };
    const robbed = new Recording(free)
      .acquire(0, 1, "s")
      .release(3, 1, "s")
      .seek(9, 0)
      .release(10, 1, "s")
      .granted(14, 0, "s");
    const again = robbed.seek(15, 1).leave(16, 0, "s").info(17, 1, "acquire").left(20, 0);
    expect(judged(again)).toBe("valid");
    const without = new Recording(free)
      .acquire(0, 1, "s")
      .release(3, 1, "s")
      .seek(9, 0)
      .release(10, 1, "s")
      .granted(14, 0, "s");
    expect(judged(without.release(16, 0, "s"))).toBe("invalid; foreign-release 5,8,9");
  });

  it("lets an owner release or extend what it may hold since before the history began, until another was granted it", () => {
    expect(judged(new Recording().release(6, 1, "a").acquire(9, 2, "b"))).toBe("valid");
    expect(judged(new Recording().extend(6, 1, "a").release(9, 1, "a").acquire(12, 2, "b"))).toBe("valid");
    expect(judged(new Recording().acquire(0, 0, "b").release(6, 1, "a"))).toBe("invalid; foreign-release 1,2,3");
    const passed = new Recording().fail(0, 1).acquire(1, 0, "b").release(3, 0, "b").release(6, 1, "a");
    expect(judged(passed)).toBe("invalid; foreign-release 4,6,7");
    expect(judged(new Recording().extend(0, 0, "a").acquire(3, 1, "b"))).toBe("invalid; double-grant 2,3");
  });

  it("knows nothing from a release that found nothing, where it may have been sent twice", () => {
    const missed = (kind: string, brokenMs: number): Recording =>
      new Recording({ clients: 2 })
        .acquire(0, 0, "a")
        .leave(10, 0, "a")
        .fault(brokenMs, kind)
        .acquire(brokenMs + 1, 1, "b")
        .left(30, 0, false);
    expect(judged(missed("reset", 12))).toBe("valid");
    expect(judged(missed("restart-node", 12))).toBe("valid");
    expect(judged(missed("eviction", 12))).toMatch(/^invalid/);
    expect(judged(missed("pause-client", 12))).toMatch(/^invalid/);
    const before = new Recording({ clients: 2 }).acquire(0, 0, "a").fault(5, "reset").leave(10, 0, "a");
    expect(judged(before.acquire(12, 1, "b").left(30, 0, false))).toMatch(/^invalid/);
  });

  it("learns nothing of another client's hold from a release that found nothing under the same owner value", () => {
    const missed = (process: number, owner: string): Recording =>
      new Recording({ clients: 3, backend: "simulated" })
        .acquire(0, 0, "a")
        .release(10, process, owner, false)
        .extend(20, 0, "a");
    expect(judged(missed(1, "a"))).toBe("valid");
    expect(judged(missed(1, "b"))).toBe("valid");
    expect(judged(missed(0, "a"))).toMatch(/^invalid/);
    // Process 3 belongs to client 0 too.
    expect(judged(missed(3, "a"))).toMatch(/^invalid/);
  });

  it("counts an acquire of unknown outcome once: as a hold of its own, or as an entry that cuts the lease of another", () => {
    const released = (ask: (recording: Recording) => Recording): Recording =>
      ask(
        new Recording({ clients: 2, backend: "simulated" })
          .acquire(0, 0, "a", { ttlMs: 50 })
          .release(60, 0, "a", false)
          .acquire(100, 1, "b"),
      ).release(300, 0, "a");
    const asks = (recording: Recording, process: number): Recording =>
      recording.seek(200, process, { ttlMs: 50 }).info(210, process, "acquire");
    expect(judged(released((it) => it))).toMatch(/^invalid/);
    expect(judged(released((it) => asks(it, 1)))).toMatch(/^invalid/);
    expect(judged(released((it) => asks(asks(it, 1), 3)))).toBe("valid");
    // A client library may have sent it twice.
    expect(judged(released((it) => asks(it.fault(150, "reset"), 1)))).toBe("valid");
  });

  it("keeps keys apart", () => {
    expect(judged(new Recording().acquire(0, 0, "a").on("other").acquire(5, 1, "b"))).toBe("valid");
  });

  it("judges by the model that is asked for", () => {
    const reentry = new Recording().acquire(0, 0, "a").acquire(5, 0, "a").release(8, 0, "a").release(11, 0, "a");
    expect(judged(reentry)).toBe("valid");
    expect(judged(reentry, { model: "owner-aware-mutex" })).toMatch(/^invalid/);
    const repeated = new Recording()
      .acquire(0, 0, "a", { fence: 5 })
      .release(2, 0, "a")
      .acquire(5, 1, "b", { fence: 5 });
    expect(judged(repeated)).toBe("invalid; token-rollback 4,5");
    expect(judged(repeated, { model: "reentrant-mutex" })).toBe("valid");
    const foreign = new Recording().acquire(0, 0, "a", { ttlMs: 100 }).acquire(200, 1, "b").release(210, 0, "a");
    expect(judged(foreign)).toBe("invalid; foreign-release 3,4,5");
    expect(judged(foreign, { model: "mutex" })).toBe("valid");
  });

  it("blames what took the hold", () => {
    const lost = new Recording().acquire(0, 0, "a").fault(3, "restart-node").release(5, 0, "a", false);
    expect(judged(lost)).toBe("invalid; lost-in-restart 1,2,3,4");
    expect(judged(new Recording().acquire(0, 0, "a").release(5, 0, "a", false))).toBe("invalid; lost-early 1,2,3");
  });

  it("blames a release by another, or a late one, when a holder finds its hold gone", () => {
    const another = new Recording()
      .acquire(0, 2, "z", { ttlMs: 100 })
      .leave(90, 2, "z")
      .acquire(150, 0, "a")
      .left(170, 2, true)
      .release(180, 0, "a", false);
    expect(judged(another)).toBe("invalid; foreign-release 2,4,5,6,7");
    const left = (): Recording =>
      new Recording({ clients: 2 }).acquire(0, 0, "z", { ttlMs: 100 }).leave(50, 0, "z").info(120, 0, "release");
    const late = left().fault(125, "latency").acquire(130, 2, "a").release(180, 2, "a", false);
    expect(judged(late)).toBe("invalid; foreign-release 2,3,6,7,8");
    // Nothing is known to have kept it back.
    expect(judged(left().acquire(130, 2, "a").release(180, 2, "a", false))).toBe("invalid; lost-early 5,6,7");
  });

  it("is decided where owner values overlap for very long, or unknown with the reason", { tags: "long" }, () => {
    const recording = new Recording();
    for (let round = 0; round < 400; round += 1) {
      recording
        .seek(round * 10, 0)
        .seek(round * 10 + 1, 1)
        .granted(round * 10 + 2, 0, "same");
      recording
        .granted(round * 10 + 3, 1, "same")
        .release(round * 10 + 4, 0, "same")
        .release(round * 10 + 6, 1, "same");
    }
    expect(judged(recording)).toBe("valid");
    const judge = (budget: StepBudget): PropertyVerdict | undefined =>
      checkHistory(recording.history, { checkers: [linearizability({ budget })] }).properties.linearizability;
    expect(judge(new StepBudget(1000))).toMatchObject({
      verdict: "unknown",
      reason: "not decided for k: it takes more than 1000 steps",
    });
    recording.acquire(5000, 0, "other").acquire(5003, 1, "same");
    expect(judge(new StepBudget(100_000))?.verdict).toBe("invalid");
  });

  it("blames what may have taken the lock from whoever held it, also where only the general search decides", () => {
    const recording = new Recording({ clients: 2, backend: "simulated" })
      .acquire(0, 0, "a", { ttlMs: 4000 })
      .seek(40, 1, { ttlMs: 4000 })
      .leave(1800, 0, "a")
      .info(2800, 0, "release")
      .seek(2800, 2, { ttlMs: 4000 })
      .granted(4014, 1, "b")
      .granted(4170, 2, "c")
      .leave(4170, 2, "c")
      .info(4171, 2, "release")
      .lost(6014, 1, "b");
    const decided = judged(recording);
    expect(decided).toMatch(/^invalid; foreign-release /);
    // One more operation of the owner that has lost its hold.
    expect(judged(recording.leave(6014, 1, "b").info(7014, 1, "release"))).toBe(decided);
  });

  it("does not apply when nothing succeeded", () => {
    expect(judged(new Recording().fail(0, 0))).toBe("not-applicable");
  });
});

describe("a hold that was gone before its lease", () => {
  /** `z` outlives its lease of 100 ms, and `a` holds then; with what comes in between, its release finds nothing. */
  const gone = (between: (recording: Recording) => Recording): string =>
    judged(
      between(
        new Recording({ clients: 3 }).acquire(0, 2, "z", { ttlMs: 100 }).acquire(150, 0, "a", { ttlMs: 10_000 }),
      ).release(500, 0, "a", false),
    );

  it("was lost in the fault rather than given up by a release that may have taken effect", () => {
    const late = (it: Recording): Recording => it.leave(200, 2, "z").info(210, 2, "release");
    expect(gone((it) => late(it).fault(300, "clock-jump"))).toMatch(/^invalid; clock-jump /);
    expect(gone(late)).toMatch(/^invalid; foreign-release /);
  });

  it("does not say that the lock was granted twice where the fencing tokens alone have no order", () => {
    // The unanswered acquire may have been the first entry of owner a: then b is granted it beside a. Or it was never
    // carried out: then both holds of a have fencing token 1, and b is granted it rightly.
    const either = new Recording({ backend: "simulated", clients: 2 })
      .seek(0, 0)
      .info(1, 0, "acquire")
      .acquire(10, 2, "a", { fence: 1 })
      .release(12, 2, "a")
      .acquire(14, 2, "a", { fence: 1 })
      .release(16, 2, "a");
    expect(judged(either.acquire(20, 1, "b", { fence: 2 }))).toBe("invalid; contradiction 3,10,11");
    const underWay = new Recording({ backend: "simulated" }).acquire(0, 0, "a", { fence: 7 }).leave(2, 0, "a");
    expect(judged(underWay.acquire(3, 1, "b", { fence: 7 }).left(5, 0))).toMatch(/^invalid; (?!double-grant)/);
    const certain = new Recording({ backend: "simulated", clients: 2 })
      .acquire(10, 2, "a", { fence: 1 })
      .acquire(14, 2, "a", { fence: 1 })
      .release(16, 2, "a");
    expect(judged(certain.acquire(20, 1, "b", { fence: 2 }))).toBe("invalid; double-grant 1,4,6,7");
  });
});

it("blames the fencing tokens for a release that has an order only without them", () => {
  const overtaken = new Recording({ clients: 2, backend: "simulated" })
    .seek(0, 0, { ttlMs: 720, waitMs: 3700 })
    .seek(20, 1, { ttlMs: 720, waitMs: 3700 })
    .granted(748, 1, "b", { fence: 1, validForMs: 720, grantedAtMs: 740 })
    .granted(817, 0, "a", { fence: 2, validForMs: 720, grantedAtMs: 0 })
    .release(1056, 0, "a", false)
    .release(1108, 1, "b");
  expect(judged(overtaken)).toBe("invalid; token-overtaken 6,7");
});
