import { describe, expect, it } from "vitest";
import type { Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { SharedEvidence } from "../evidence/evidence.ts";
import { Recording } from "../testing/recording.ts";
import { victimOf } from "./victims.ts";

/** The causes that a property says for what this history shows, with the events. */
function causes(property: Property, { history }: Recording): string | undefined {
  const { violations } = checkHistory(history, { foreign: true }).properties[property] ?? {};
  return violations?.map(({ cause, events }) => `${cause} ${events.join()}`).join("; ");
}

it("a release that no order explains, after all orders were tried, has the cause that owner-release says", () => {
  // Client 1 holds; client 0 uses a value that it was granted before the recording, if ever.
  const history = new Recording({ clients: 3 })
    .acquire(0, 1, "b", { ttlMs: 400 })
    .seekExtension(10, 0, "a", 20)
    .info(20, 0, "extend")
    .release(30, 3, "a");
  expect(causes("owner-release", history)).toBe("foreign-release 1,4,5");
  expect(causes("linearizability", history)).toBe("foreign-release 1,4,5");
});

describe("the hold that a release took", () => {
  /** The owner of the hold that the last operation took. */
  function victim({ history: { header, events } }: Recording): string | undefined {
    const evidence = new SharedEvidence(header, true);
    let owner: string | undefined;
    for (const event of events) {
      const step = evidence.push(evidence.read(event));
      owner = victimOf(step, evidence)?.owner;
      evidence.judged(step);
    }
    return owner;
  }

  const recording = (): Recording => new Recording({ clients: 3 });

  it("is another owner's that lasts from before it to after it", () => {
    expect(victim(recording().acquire(0, 1, "b").release(30, 0, "a"))).toBe("b");
    expect(victim(recording().acquire(0, 1, "b").release(30, 1, "b"))).toBeUndefined();
    expect(victim(recording().acquire(0, 1, "b").release(30, 0, "a", false))).toBeUndefined();
    expect(victim(recording().leave(0, 0, "a").acquire(10, 1, "b").left(20, 0))).toBeUndefined();
    expect(victim(recording().acquire(0, 1, "b", { ttlMs: 20 }).release(30, 0, "a"))).toBeUndefined();
  });

  it("is one whose owner asked for it when the other had been granted the key for the last time", () => {
    const own = recording().acquire(0, 0, "a", { ttlMs: 10 });
    expect(victim(own.acquire(20, 1, "b").release(30, 0, "a"))).toBe("b");
    expect(victim(recording().acquire(0, 1, "b").acquire(10, 0, "a").release(30, 0, "a"))).toBeUndefined();
  });

  it("is none that others may share", () => {
    const reader = recording().acquire(0, 1, "b", { mode: "shared" });
    expect(victim(reader.release(30, 0, "a"))).toBeUndefined();
  });
});
