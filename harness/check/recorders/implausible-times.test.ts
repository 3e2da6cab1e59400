import { expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const MS = 1e-6;

/** The remarks on a history whose operations take `tookMs` each. */
function remarksOn(tookMs: number, { ttlMs = 30_000, backend = undefined as string | undefined } = {}): string {
  const recording = new Recording({ clients: 2, ...(backend === undefined ? {} : { backend }) });
  for (const [number, owner] of ["a", "b", "c", "d"].entries()) {
    const at = number * 1000 * tookMs;
    recording.seek(at, number % 2, { ttlMs }).granted(at + tookMs, number % 2, owner);
    recording.leave(at + 5 * tookMs, number % 2, owner).left(at + 6 * tookMs, number % 2);
  }
  return checkHistory(recording.history, { foreign: true }).remarks.join("\n");
}

it("asks whether times are nanoseconds, where operations take less time than a network needs", () => {
  const question =
    "most operations took less than 0.01 ms, which no network does: is every `time` in nanoseconds? Multiply milliseconds by 1000000, microseconds by 1000";
  expect(remarksOn(2 * MS)).toContain(question);
  expect(remarksOn(9000 * MS)).toContain(question);
  expect(remarksOn(0.5)).not.toContain("nanoseconds");
});

it("asks nothing of times that nothing depends on, or that lockstorm recorded", () => {
  expect(remarksOn(2 * MS, { ttlMs: 1e9 })).not.toContain("nanoseconds");
  expect(remarksOn(2 * MS, { backend: "simulated" })).not.toContain("nanoseconds");
  // A clock of milliseconds shows many operations without a length.
  expect(remarksOn(0)).not.toContain("nanoseconds");
});

/** A lock whose first lease has ended when it grants the key again, in times of another unit: a millisecond lasts `unitMs`. */
function expired(unitMs: number, facts: Record<string, unknown> = {}, tookMs = 1): Recording {
  const recording = new Recording({ clients: 2, ...facts });
  recording.seek(0, 0, { ttlMs: 30 }).granted(tookMs * unitMs, 0, "a");
  recording.seek(50 * unitMs, 1, { ttlMs: 30 }).granted((50 + tookMs) * unitMs, 1, "b");
  return recording.leave(60 * unitMs, 0, "a").left((60 + tookMs) * unitMs, 0, false);
}

it("accuses nobody by leases that may be compared with times of another unit", () => {
  for (const tookMs of [0, 1]) {
    const { properties } = checkHistory(expired(MS, {}, tookMs).history, { foreign: true });
    for (const property of ["lease-exclusion", "owner-release", "linearizability"] as const) {
      expect(properties[property]?.verdict).not.toBe("invalid");
    }
    expect(properties["lease-exclusion"]?.reason).toMatch(/nanoseconds/);
    // Both held, whatever the unit.
    expect(properties["mutual-exclusion"]?.verdict).toBe("invalid");
  }
});

it("accuses by leases that are longer than the whole violation in each unit", () => {
  const twice = new Recording({ clients: 2 });
  twice.seek(0, 0, { ttlMs: 30 }).granted(MS, 0, "a");
  twice.seek(5 * MS, 1, { ttlMs: 30 }).granted(6 * MS, 1, "b");
  const met = twice.leave(10 * MS, 0, "a").left(11 * MS, 0);
  const { properties, remarks } = checkHistory(met.history, { foreign: true });
  expect(properties["lease-exclusion"]?.verdict).toBe("invalid");
  expect(properties["linearizability"]?.verdict).toBe("invalid");
  expect(remarks.join()).toContain("nanoseconds");
});

it("accuses nobody by a moment of a hold that an owner value seems to have entered again", () => {
  const recording = new Recording({ clients: 2 });
  const grant = (at: number, process: number, owner: string, fence: number): Recording =>
    recording.seek(at * MS, process, { ttlMs: 30 }).granted((at + 1) * MS, process, owner, { fence });
  // In nanoseconds, the second grant would be a re-entry with another fencing token, and the release end one of two entries.
  grant(0, 0, "a", 1);
  grant(100, 0, "a", 2)
    .leave(105 * MS, 0, "a")
    .left(106 * MS, 0);
  const { properties } = checkHistory(grant(108, 1, "b", 3).history, { foreign: true });
  for (const property of ["fencing-tokens", "lease-exclusion", "linearizability"] as const) {
    expect(properties[property]?.verdict).not.toBe("invalid");
  }
});

it("accuses by them where the first line says that the times are nanoseconds", () => {
  const { properties, remarks } = checkHistory(expired(MS, { timeUnit: "ns" }).history, { foreign: true });
  expect(properties["lease-exclusion"]?.verdict).toBe("invalid");
  expect(remarks.join()).not.toContain("nanoseconds");
});

it("keeps what a lock says of itself: a validity that is over", () => {
  const recording = new Recording({ clients: 2 });
  for (const at of [0, 20, 40]) {
    const validForMs = at === 20 ? -1 : 30;
    recording.seek(at * MS, 0, { ttlMs: 30 }).granted((at + 1) * MS, 0, `o${at}`, { validForMs });
    recording.leave((at + 5) * MS, 0, `o${at}`).left((at + 6) * MS, 0);
  }
  const { properties } = checkHistory(recording.history, { foreign: true });
  expect(properties["lease-exclusion"]?.violations.map(({ cause }) => cause)).toEqual(["expired-grant"]);
});

it("accuses nobody of what an owner value does that is granted the key again: it may have begun another hold", () => {
  const recording = new Recording({ clients: 2 });
  const grant = (at: number, process: number, owner: string, fence: number): Recording =>
    recording.seek(at * MS, process, { ttlMs: 30 }).granted((at + 1) * MS, process, owner, { fence });
  grant(0, 0, "a", 1);
  grant(50, 1, "b", 2);
  grant(100, 0, "a", 3)
    .leave(110 * MS, 0, "a")
    .left(111 * MS, 0);
  const { properties } = checkHistory(recording.history, { foreign: true });
  expect(properties["mutual-exclusion"]?.verdict).toBe("unknown");
  expect(properties["fencing-tokens"]?.verdict).not.toBe("invalid");
});

/** A lock that was free when it was granted again; all is recorded when the answer came, invocations too. */
function atOneTime(facts: Record<string, unknown> = {}, stepMs = 1.001): Recording {
  const recording = new Recording({ clients: 2, ...facts });
  recording.seek(stepMs, 0, { ttlMs: 300 }).granted(stepMs, 0, "a");
  recording.seek(9 * stepMs, 1, { ttlMs: 300 }).granted(9 * stepMs, 1, "b");
  return recording
    .leave(15 * stepMs, 0, "a")
    .left(15 * stepMs, 0)
    .leave(20 * stepMs, 1, "b")
    .left(20 * stepMs, 1);
}

it("accuses nobody by operations that are recorded only when they end", () => {
  const { verdict, properties } = checkHistory(atOneTime().history, { foreign: true });
  expect(verdict).toBe("unknown");
  for (const property of ["mutual-exclusion", "lease-exclusion", "linearizability"] as const) {
    expect(properties[property]?.reason).toMatch(/^most operations begin and end at one time: .*"timeUnit":"ns"/);
  }
});

it("takes operations that begin and end at one time as they are by a coarse clock, in an ordered history, or where that is said", () => {
  const judged = (recording: Recording): string => checkHistory(recording.history, { foreign: true }).verdict;
  // By a clock of milliseconds an operation may well take no time.
  expect(judged(atOneTime({}, 1))).toBe("invalid");
  expect(judged(atOneTime({ source: "jepsen" }))).toBe("invalid");
  expect(judged(atOneTime({ timeUnit: "ns" }))).toBe("invalid");
});

it("accuses of a validity that was over, whenever the operations began", () => {
  const over = atOneTime().seek(30.03, 0, { ttlMs: 300 }).granted(30.03, 0, "c", { validForMs: -1 });
  const { properties } = checkHistory(over.history, { foreign: true });
  const causes = properties["lease-exclusion"]?.violations.map(({ cause }) => cause);
  expect(causes).toEqual(["expired-grant"]);
});
