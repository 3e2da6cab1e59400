import { describe, expect, test } from "vitest";
import { checkHistory } from "./check.ts";
import { Recording } from "./testing/recording.ts";
import type { HistoryHeader } from "../history/history.ts";
import type { Property } from "../core/verdict.ts";

/** What a property says of client-0 that asks under two process numbers and is granted the key twice. */
function told(header: Partial<HistoryHeader>, property: Property = "lease-exclusion"): string {
  const { history } = new Recording(header)
    .acquire(0, 0, "a")
    .acquire(2, 2, "b")
    .release(20, 0, "a")
    .release(30, 2, "b");
  return checkHistory(history).properties[property]?.violations[0]?.explanation ?? "holds";
}

/** What mutual exclusion says of task 0 of client-0, which outlives its lease while this fault is in force. */
function outlived(fault: string): string {
  const recording = new Recording({ clients: 2, tasks: [2, 1] }).acquire(0, 0, "a", { ttlMs: 100 });
  recording.fault(10, fault, { targets: ["client-0"], processes: [0, 2] });
  recording.acquire(150, 1, "b").fault(200, fault, { phase: "heal", targets: ["client-0"] });
  const { history } = recording.release(210, 0, "a", false).release(300, 1, "b");
  return checkHistory(history).properties["mutual-exclusion"]?.violations[0]?.explanation ?? "holds";
}

describe("two tasks of a client", () => {
  test("are told apart by their numbers", () => {
    const text = told({ clients: 2, tasks: [2, 1] });
    expect(text).toContain("client-0 (task 0, process 0, owner a) was granted it at 1 ms");
    expect(text).toContain("client-0 (task 1, process 2, owner b) was granted it at 3 ms");
    expect(told({ clients: 2, tasks: [2, 1] }, "linearizability")).toContain(
      "client-0 (task 1) was granted it as owner b between 2 ms and 3 ms: client-0 (task 0) as owner a held it",
    );
  });

  test("are not told of where the history does not say that the client has any", () => {
    expect(told({ clients: 2 })).toContain("client-0 (process 2, owner b)");
  });

  test("are hit by what hits their client", () => {
    expect(outlived("pause-client")).toContain("client-0 (task 0) was stopped by pause-client at 10 ms (event 2)");
  });
});
