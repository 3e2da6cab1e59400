import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exceeds, fits, type Share } from "../../core/sharing.ts";
import { SharesHeld } from "./shares-held.ts";

const share: fc.Arbitrary<Share> = fc.oneof(
  fc.constant({ kind: "exclusive" } as const),
  fc.constant({ kind: "shared" } as const),
  fc.record({
    kind: fc.constant("counted" as const),
    limit: fc.integer({ min: 1, max: 8 }),
    permits: fc.integer({ min: 1, max: 3 }),
  }),
);

function holding(shares: readonly Share[]): SharesHeld {
  const held = new SharesHeld();
  for (const one of shares) held.add(one);
  return held;
}

describe("shares that are held", () => {
  it("leave room only for what fits beside each of them", () => {
    fc.assert(
      fc.property(fc.array(share, { maxLength: 6 }), share, share, (held, one, other) => {
        if (holding(held).leaveRoomFor([one])) expect(fits(one, held)).toBe(true);
        if (holding(held).leaveRoomFor([one, other])) expect(fits(other, [one, ...held])).toBe(true);
      }),
    );
  });

  it("fit beside one of them only if there is no conflict with it", () => {
    fc.assert(
      fc.property(fc.array(share, { minLength: 1, maxLength: 6 }), (held) => {
        const [one, ...others] = held;
        if (one === undefined || !holding(held).fitBeside(one)) return;
        expect(others.every(({ kind }) => kind !== "exclusive")).toBe(true);
        expect(one.kind === "counted" && exceeds(held)).toBe(false);
      }),
    );
  });

  it("are seen to fit where readers, or the holders of a semaphore, have room", () => {
    const counted = (permits: number): Share => ({ kind: "counted", limit: 5, permits });
    const held = holding([counted(2), counted(1)]);
    expect(held.leaveRoomFor([counted(2)])).toBe(true);
    expect(held.leaveRoomFor([counted(1), counted(2)])).toBe(false);
    held.delete(counted(1));
    expect(held.leaveRoomFor([counted(1), counted(2)])).toBe(true);
    expect(held.fitBeside(counted(2))).toBe(true);
    expect(holding([{ kind: "shared" }]).leaveRoomFor([{ kind: "shared" }])).toBe(true);
    expect(holding([{ kind: "shared" }]).leaveRoomFor([{ kind: "exclusive" }])).toBe(false);
  });
});
