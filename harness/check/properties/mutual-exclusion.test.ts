import { describe, expect, it } from "vitest";
import { judge } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

describe("a client that asked for the key again, and does not know the outcome", () => {
  /** Its lease was over when another client was granted the key; then it asks again, and releases. */
  const asked = (process: number, inner: boolean): string =>
    judge(
      "mutual-exclusion",
      new Recording({ clients: 2 })
        .acquire(0, 0, "a", { ttlMs: 20 })
        .acquire(30, 1, "b", { ttlMs: 100 })
        .seek(40, process, { ttlMs: 20, inner })
        .info(50, process, "acquire")
        .release(60, 2, "a"),
    );

  it("may mean what it was granted by that, and not its older hold", () => {
    expect(asked(0, false)).toBe("valid");
    expect(asked(3, false)).toMatch(/^invalid; overrun /);
  });

  it("means its older hold if it says that it enters it again", () => {
    expect(asked(0, true)).toMatch(/^invalid; overrun /);
  });
});
