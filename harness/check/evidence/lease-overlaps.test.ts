import { describe, expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";
import { SharedEvidence } from "./evidence.ts";

describe("too many permits that are promised for long", () => {
  const counted = (recording: Recording): number => violationsOf("lease-exclusion", recording).length;
  const [two, three] = [{ limit: 2 }, { limit: 3 }];
  const one = (): Recording =>
    new Recording({ clients: 4 })
      .acquire(0, 0, "a", three)
      .acquire(10, 1, "b", three)
      .acquire(20, 2, "c", three)
      .acquire(30, 3, "d", { ...three, permits: 2, ttlMs: 100 })
      .release(40, 0, "a");

  it("are one violation, whichever holder extends in time when fewer are left", () => {
    for (const process of [1, 2, 3]) expect(counted(one().extend(50, process, "abcd"[process]!))).toBe(1);
    const all = new Recording({ clients: 4 });
    for (const process of [0, 1, 2, 3]) all.acquire(10 * process, process, "abcd"[process]!, two);
    expect(counted(all.release(40, 0, "a").extend(50, 1, "b").extend(60, 3, "d"))).toBe(1);
  });

  it("are another one where one more is granted", () => {
    expect(counted(one().acquire(50, 0, "e", three))).toBe(2);
  });

  it("are one violation too where the lease of the holder that began it was over in between", () => {
    expect(counted(one().extend(200, 3, "d"))).toBe(1);
  });

  it("are two where the lease of another was over in between, and it extends all the same", () => {
    const over = new Recording({ clients: 4 })
      .acquire(0, 0, "a", { ...two, ttlMs: 50 })
      .acquire(10, 1, "b", { ...two, ttlMs: 50 })
      .acquire(20, 2, "c", two)
      .acquire(100, 3, "d", two);
    const causes = violationsOf("lease-exclusion", over.extend(150, 0, "a")).map(({ cause }) => cause);
    expect(causes).toEqual(["double-grant", "foreign-release"]);
  });
});

it("remembers the first overlaps that one hold began, which are listed, and the latest, which may go on", () => {
  const rivals = 300;
  const recording = new Recording({ clients: 2 }).acquire(0, 0, "own", { ttlMs: 100 });
  for (let one = 0; one < rivals; one += 1) {
    const atMs = 200 * (one + 1);
    // Its lease is over when another is granted the key, and is prolonged all the same.
    recording.acquire(atMs, 1, `o${one}`).extend(atMs + 20, 0, "own", { ttlMs: 100 });
    recording.release(atMs + 50, 1, `o${one}`);
  }
  const evidence = new SharedEvidence(recording.history.header);
  const steps = recording.history.events.map((event) => evidence.push(event));
  expect(steps.flatMap(({ leaseOverlaps }) => leaseOverlaps)).toHaveLength(rivals);
  const [own, ...others] = steps.flatMap(({ changes }) => changes.filter(({ kind }) => kind === "granted"));
  const known = others.map(({ hold }) => evidence.leases.between(own!.hold, hold) !== undefined);
  expect([known.indexOf(false), known.lastIndexOf(false)]).toEqual([100, 199]);
});
