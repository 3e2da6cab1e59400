import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const PROPERTIES = ["mutual-exclusion", "lease-exclusion"] as const;

interface Facts {
  readonly clients?: number;
  readonly ttlMs?: number;
  /** Whether the writer is told that it released, which shows that it meant to hold. */
  readonly releases?: boolean;
}

/** A writer, and a reader that is granted the key beside it; the outcome of a third process's acquire as a reader is unknown. */
function beside({ clients, ttlMs = 1000, releases = true }: Facts = {}): ReturnType<typeof checkHistory> {
  const recording = new Recording(clients === undefined ? {} : { clients })
    .seek(0, 2, { mode: "shared" })
    .info(5, 2, "acquire")
    .seek(10, 0, { mode: "exclusive", ttlMs })
    .granted(11, 0, "writer")
    .seek(50, 1, { mode: "shared" })
    .granted(51, 1, "reader");
  const released = releases ? recording.release(60, 0, "writer") : recording;
  return checkHistory(released.release(70, 1, "reader").history);
}

describe("a reader beside a writer that may be a reader", () => {
  it("is not decided where nobody knows whose the acquire of unknown outcome is", () => {
    const { properties } = beside();
    for (const property of PROPERTIES) {
      expect(properties[property]).toMatchObject({
        verdict: "unknown",
        reason: expect.stringMatching(/^processes 0 and 1 held k together from 51 ms on, .*Add `clients`/) as string,
      });
    }
  });

  it("is a double grant where the acquire is another client's", () => {
    const { properties } = beside({ clients: 3 });
    for (const property of PROPERTIES) expect(properties[property]?.verdict).toBe("invalid");
  });

  it("is none after the writer's lease, or where the writer does not show that it still holds", () => {
    expect(beside({ ttlMs: 30 }).properties["lease-exclusion"]?.verdict).toBe("valid");
    expect(beside({ ttlMs: 30 }).properties["mutual-exclusion"]?.verdict).toBe("unknown");
    expect(beside({ releases: false }).properties["mutual-exclusion"]?.verdict).toBe("valid");
  });
});
