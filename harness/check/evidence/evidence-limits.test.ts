import { describe, expect, it } from "vitest";
import type { History } from "../../history/history.ts";
import { PROPERTIES, type Verdict } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { ADVERSARIAL_HEADER, adversarialEvents, SHAPES } from "../testing/adversarial-histories.ts";
import { Recording } from "../testing/recording.ts";
import { EVIDENCE_LIMITS, type EvidenceLimits } from "./evidence-limits.ts";

function judged(history: History, limits: Partial<EvidenceLimits> = {}): Verdict {
  return checkHistory(history, { foreign: true, limits: { ...EVIDENCE_LIMITS, ...limits } });
}

function verdicts({ properties }: Verdict): readonly string[] {
  return PROPERTIES.map((property) => `${property}: ${properties[property]?.verdict}`);
}

function adversarial(shape: string, lines: number): History {
  return { header: ADVERSARIAL_HEADER, events: [...adversarialEvents(shape, lines)] };
}

/** Six clients in turn, each with a key, a lease that outlasts the history, a fault, and at the end an open request. */
function ofMany(what: keyof EvidenceLimits): Recording {
  const recording = new Recording({ clients: 6 });
  for (let one = 0; one < 6; one += 1) {
    if (what === "keys") recording.on(`k${one}`);
    if (what === "faults") recording.fault(100 * one, "pause-client", { processes: [9] });
    if (what === "undecidedLeases") {
      // Each grant finds the lease before it perhaps cut by an extension that is not answered.
      recording.acquire(100 * one, one, `o${one}`, { ttlMs: 1e6 }).seekExtension(100 * one + 10, one, `o${one}`, 20);
    } else if (what === "openOperations" || what === "keys") recording.seek(100 * one, one);
    else if (what === "openHolds") recording.acquire(100 * one, one, `o${one}`, { ttlMs: 1e6 });
    else recording.acquire(100 * one, one, `o${one}`).release(100 * one + 50, one, `o${one}`);
  }
  return recording;
}

describe("a history with too many", () => {
  it.each([
    ["faults", "the history has more than 3 faults"],
    ["openHolds", "more than 3 holds were open at a time"],
    ["openOperations", "more than 3 operations were under way at a time"],
    ["undecidedLeases", "more than 3 leases depended at a time on requests that were not answered yet"],
  ] as const)("%s is not judged from there on, and says why", (what, reason) => {
    const { properties } = judged(ofMany(what).history, { [what]: 3 });
    expect(properties["deadlock-freedom"]).toMatchObject({
      verdict: "unknown",
      reason: expect.stringContaining(`${reason}: nothing is judged from event`) as string,
    });
    expect(judged(ofMany(what).history, { [what]: 20 }).properties["deadlock-freedom"]?.reason ?? "").not.toContain(
      "nothing is judged",
    );
  });

  it("leases that requests may have cut is judged if no more are in doubt at a time, or none may overlap another", () => {
    const answered = new Recording();
    const permits = new Recording();
    for (let one = 0; one < 6; one += 1) {
      const owner = `o${one}`;
      answered.acquire(100 * one, 0, owner, { ttlMs: 1e6 }).seekExtension(100 * one + 5, 0, owner, 20);
      answered
        .acquire(100 * one + 30, 1, `${owner}-other`)
        .failExtension(100 * one + 40, 0)
        .release(100 * one + 50, 0, owner);
      answered.release(100 * one + 60, 1, `${owner}-other`);
      permits.acquire(100 * one, one, owner, { ttlMs: 1e6, limit: 6 }).seekExtension(100 * one + 5, one, owner, 20);
    }
    expect(judged(answered.history, { undecidedLeases: 2 }).properties["deadlock-freedom"]?.verdict).toBe("valid");
    expect(judged(permits.history, { undecidedLeases: 2 }).properties["mutual-exclusion"]?.verdict).toBe("valid");
  });

  it("keys explains what was wrong with one that was concluded as it would have at the end", () => {
    const recording = new Recording().acquire(0, 0, "a", { fence: 2 }).release(20, 0, "a");
    recording.acquire(40, 1, "b", { fence: 1 }).release(60, 1, "b");
    for (let one = 0; one < 6; one += 1)
      recording
        .on(`k${one}`)
        .acquire(100 + 100 * one, 0, "c", { fence: 1 })
        .release(120 + 100 * one, 0, "c");
    const { history } = recording;
    const explained = (keys: number): string | undefined =>
      judged(history, { keys }).properties.linearizability?.violations[0]?.explanation;
    expect(explained(20)).toContain("only if the fencing tokens are ignored");
    expect(explained(2)).toBe(explained(20));
  });

  it("keys in use leaves out those for which there is no room, and says why", () => {
    const { properties } = judged(ofMany("keys").history, { keys: 3 });
    expect(properties["deadlock-freedom"]).toMatchObject({
      verdict: "unknown",
      reason:
        "there is no room for k3: more than 3 keys were in use at a time; it is not judged from event 3 on, and other keys may be left out too",
    });
    const whole = judged(ofMany("keys").history, { keys: 6 });
    expect(whole.properties["deadlock-freedom"]?.reason ?? "").not.toContain("no room");
  });

  it("open holds keeps the violations that were proved before", () => {
    const { verdict, properties } = judged(adversarial("open overlapping grants", 100), { openHolds: 10 });
    expect(verdict).toBe("invalid");
    expect(properties["lease-exclusion"]?.violations.length).toBeGreaterThan(10);
    expect(properties["mutual-exclusion"]?.verdict).toBe("unknown");
  });

  it("open operations still excuses a lock by a fault that is recorded soon after", () => {
    const stolen = (): Recording =>
      new Recording().acquire(10, 0, "a").acquire(20, 1, "b").extend(30, 0, "a").seek(40, 2).seek(50, 3);
    const verdictOf = ({ history }: Recording) =>
      judged(history, { openOperations: 1 }).properties["owner-release"]?.verdict;
    expect(verdictOf(stolen())).toBe("invalid");
    expect(verdictOf(stolen().fault(60, "kill-node", { targets: ["node-0"] }))).toBe("unknown");
    expect(verdictOf(stolen().fault(6000, "kill-node", { targets: ["node-0"] }))).toBe("invalid");
  });
});

describe("a key that is idle", () => {
  it.each(Object.keys(SHAPES).filter((shape) => shape.includes("key")))("is judged as if it was kept: %s", (shape) => {
    const all = judged(adversarial(shape, 400));
    const few = judged(adversarial(shape, 400), { keys: 4 });
    expect(verdicts(few)).toEqual(verdicts(all));
    expect(few.properties.linearizability?.violations).toEqual(all.properties.linearizability?.violations);
  });

  it("is left out if it is used again, and the others are judged", () => {
    const recording = new Recording();
    for (const [at, key] of ["a", "b", "c", "d", "a"].entries()) {
      recording
        .on(key)
        .acquire(100 * at, 0, `o${at}`)
        .release(100 * at + 50, 0, `o${at}`);
    }
    const { properties } = judged(recording.history, { keys: 2 });
    expect(properties["mutual-exclusion"]?.reason).toContain(
      "a is used again, and was concluded because the history uses more than 2 keys; it is not judged from event 16 on",
    );
    expect(judged(recording.history).properties["mutual-exclusion"]?.verdict).toBe("valid");
    recording.on("d").acquire(600, 0, "x").acquire(610, 1, "y").release(620, 0, "x");
    expect(judged(recording.history, { keys: 2 }).properties["mutual-exclusion"]?.verdict).toBe("invalid");
  });

  it("stays followed while an overlap of its holds may still become a violation", () => {
    const recording = new Recording().on("a").acquire(0, 0, "x", { ttlMs: 10 }).acquire(50, 1, "y");
    for (const key of ["b", "c"]) recording.on(key).acquire(100, 2, key).release(110, 2, key);
    recording.on("a").write(200, 0, "x", "d");
    const { properties } = judged(recording.history, { keys: 2 });
    expect(properties["mutual-exclusion"]?.verdict).toBe("invalid");
  });

  it("stays followed while its writes await their audit", () => {
    const recording = new Recording().on("a").acquire(0, 0, "x", { fence: 1 }).write(10, 0, "x", "d", { fence: 1 });
    recording.wrote(20, 0, 1).release(30, 0, "x");
    for (const key of ["b", "c", "d"]) recording.on(key).acquire(100, 2, key).release(110, 2, key);
    recording.on("a").audit(200, 1, "other", { fence: 2 });
    const { properties } = judged(recording.history, { keys: 2 });
    expect(properties["lost-updates"]?.verdict).toBe("invalid");
  });
});

it("does not accuse a lock once an operation that may explain its answers was dropped", { tags: "long" }, () => {
  const verdictWith = (notices: number) => {
    const recording = new Recording().acquire(0, 0, "a").leave(10, 0, "a").info(11, 0, "release");
    for (let notice = 0; notice < notices; notice += 1) recording.lost(20, 1, `o${notice}`);
    // The first release may explain the second grant. Nothing explains the third.
    recording.acquire(30, 2, "b").acquire(40, 3, "c").release(50, 2, "b");
    return judged(recording.history).properties.linearizability?.verdict;
  };
  expect(verdictWith(9000)).toBe("invalid");
  expect(verdictWith(11_000)).toBe("unknown");
});
