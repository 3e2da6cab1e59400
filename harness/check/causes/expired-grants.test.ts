import { describe, expect, it } from "vitest";
import { judge } from "../testing/judge.ts";
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

  it("can be an extension", () => {
    const recording = new Recording().acquire(0, 0, "a").extend(5, 0, "a", { validForMs: 0 });
    expect(lease(recording)).toBe("invalid; expired-grant 2,3");
  });

  it("is none with any validity left", () => {
    expect(lease(new Recording().acquire(0, 0, "a", { validForMs: 0.001 }))).toBe("valid");
  });
});
