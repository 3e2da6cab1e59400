import { describe, expect, it } from "vitest";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const exclusion = (recording: Recording): string => judge("mutual-exclusion", recording);
const lease = (recording: Recording): string => judge("lease-exclusion", recording);

describe("the cause of a grant that was over when it was made", () => {
  it("is that grant, for both properties", () => {
    const recording = new Recording({ clients: 3 })
      .seek(0, 0)
      .fault(5, "pause-client", { processes: [0] })
      .acquire(1100, 1, "b")
      .granted(1500, 0, "a", { validForMs: -512 })
      .release(1600, 1, "b");
    expect(lease(recording)).toBe("invalid; expired-grant 0,1,4");
    expect(exclusion(recording)).toBe("invalid; expired-grant 0,1,3,4");
  });

  it("may lie in where a lock that waited counts its validity from", () => {
    const told = (property: "lease-exclusion" | "mutual-exclusion", waitMs: number): string =>
      violationsOf(
        property,
        new Recording({ clients: 3 })
          .seek(0, 0, { waitMs })
          .acquire(1100, 1, "b")
          .granted(1500, 0, "a", { validForMs: -512 })
          .release(1600, 1, "b"),
      )[0]?.explanation ?? "";
    for (const waitMs of [0, 2000]) {
      expect(told("lease-exclusion", waitMs)).toContain(
        "the lock must count it from the request that took the key, not from an earlier try, and refuse what is over",
      );
    }
    const over = "and the lease, by the validity that the lock reported, had ended at 988 ms.";
    expect(told("mutual-exclusion", 0)).toContain(
      `${over} After the delay neither the lock nor the client compared the elapsed time with the TTL.`,
    );
    expect(told("mutual-exclusion", 2000)).toContain(
      `${over} Neither the lock nor the client refused what was over; a lock that waits must count the validity from the try that succeeded.`,
    );
  });

  it("can be an extension", () => {
    const recording = new Recording().acquire(0, 0, "a").extend(5, 0, "a", { validForMs: 0 });
    expect(lease(recording)).toBe("invalid; expired-grant 2,3");
  });

  it("is none with any validity left", () => {
    expect(lease(new Recording().acquire(0, 0, "a", { validForMs: 0.001 }))).toBe("valid");
  });
});
