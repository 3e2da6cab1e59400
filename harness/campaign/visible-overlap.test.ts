import { describe, expect, it } from "vitest";
import type { PropertyVerdict, Property } from "../core/verdict.ts";
import { plan } from "../run/testing/plans.ts";
import { isAsPlain } from "./visible-overlap.ts";

const overlapping = (ms: number): PropertyVerdict => ({
  verdict: "invalid",
  violations: [{ events: [], cause: "overrun", explanation: "", overlap: { from: 0, to: ms * 1e6 } }],
});

/** A run whose violations overlap for so many milliseconds, in which so many of three clients do something. */
const run = (overlaps: Partial<Record<Property, number>>, busy: number) => {
  const section = { key: "k1", ttlMs: 1000, waitMs: 0, steps: [] };
  const clients = [0, 1, 2].map((client) => ({ sections: client < busy ? [section] : [] }));
  const properties = Object.fromEntries(
    Object.entries(overlaps).map(([property, ms]) => [property, overlapping(ms)] as const),
  );
  return { plan: plan({ clients }), verdict: { required: ["lease-exclusion" as const], properties } };
};

describe("a smaller counterexample is as plain", () => {
  it("if what could be seen can be seen", () => {
    const before = run({ "lease-exclusion": 40, "mutual-exclusion": 40 }, 3);
    expect(isAsPlain(run({ "lease-exclusion": 20, "mutual-exclusion": 10 }, 3), before)).toBe(true);
    expect(isAsPlain(run({ "lease-exclusion": 1, "mutual-exclusion": 10 }, 2), before)).toBe(false);
    expect(isAsPlain(run({ "lease-exclusion": 20, "mutual-exclusion": 1 }, 3), before)).toBe(false);
  });

  it("if fewer clients do anything, although the overlap of a property that is not required is too short to be seen", () => {
    const before = run({ "mutual-exclusion": 40 }, 3);
    expect(isAsPlain(run({ "mutual-exclusion": 1 }, 2), before)).toBe(true);
    expect(isAsPlain(run({ "mutual-exclusion": 1 }, 3), before)).toBe(false);
  });

  it("if nothing could be seen before", () => {
    expect(isAsPlain(run({ "lease-exclusion": 1 }, 3), run({ "lease-exclusion": 2 }, 3))).toBe(true);
  });
});
