import { describe, expect, it } from "vitest";
import { judge } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

/** client-0 holds; it dies after `between`, and client-1 is granted the key. */
function granted(between: (held: Recording) => Recording, dead = 0): string {
  const held = new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a", { ttlMs: 1000 });
  const next = between(held)
    .fault(100, "kill-client", { processes: [dead] })
    .acquire(120, 3, "b");
  return judge("linearizability", next).split(" ", 1).join();
}

describe("the death of a client ends its hold, which the lock may have freed,", () => {
  it("also after a release that had no effect", () => {
    expect(granted((held) => held.leave(20, 0, "a").failRelease(30, 0))).toBe("valid");
    expect(granted((held) => held.leave(20, 0, "a").failRelease(30, 0), 1)).toBe("invalid;");
  });

  it("also after another client's release with its owner value, which may say nothing of it", () => {
    expect(granted((held) => held.release(20, 1, "a", false))).toBe("valid");
    expect(granted((held) => held.release(20, 1, "a", false), 1)).toBe("invalid;");
  });

  it("also while such a release is under way", () => {
    const answered = (dead: number): string =>
      judge(
        "linearizability",
        new Recording({ clients: 2, backend: "simulated" })
          .acquire(0, 0, "a", { ttlMs: 1000 })
          .leave(20, 1, "a")
          .fault(100, "kill-client", { processes: [dead] })
          .left(110, 1, false)
          .acquire(120, 3, "b"),
      );
    expect(answered(0)).toBe("valid");
    expect(answered(1)).toMatch(/^invalid; /);
  });
});
