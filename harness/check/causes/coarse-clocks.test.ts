/** What is said of leases by a clock that is exact to 100 ms only. */
import { expect, it } from "vitest";
import type { Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function told(property: Property, recording: Recording): string {
  return checkHistory(recording.history, { foreign: true }).properties[property]?.violations[0]?.explanation ?? "";
}

/** Client 0 is granted a lease at 0 ms, client 1 another one at 300 ms, and both hold. */
function together(ttlMs: number, endMs = 800, grant: { readonly validForMs?: number } = {}): Recording {
  return new Recording({ clients: 2 })
    .seek(0, 0, { ttlMs })
    .granted(0, 0, "a", grant)
    .seek(200, 1, { ttlMs: 2000 })
    .granted(300, 1, "b")
    .seekExtension(500, 1, "b", 2000)
    .extended(600, 1, "b")
    .leave(endMs, 0, "a")
    .left(endMs + 100, 0);
}

it("does not say that a lease was over where it may have been in force", () => {
  const doubtful =
    "The lease of client-0 may have ended as early as 250 ms: the times of this history are exact to 100 ms only.";
  expect(told("mutual-exclusion", together(350))).toContain(doubtful);
  expect(told("mutual-exclusion", together(150))).toContain(
    "The lease of client-0 had ended at 250 ms, at the latest,",
  );
});

it("does not say that a lease was over on arrival, nor that it ended before it was asked for", () => {
  for (const words of [
    told("mutual-exclusion", together(50)),
    told("mutual-exclusion", together(50, 800, { validForMs: 40 })),
  ]) {
    expect(words).not.toContain("its lease was already over");
    expect(words).not.toMatch(/ -\d/);
    expect(words).toContain("The lease of client-0 had ended at 1");
  }
});

it("says of a late grant only that its lease may have been over", () => {
  const late = new Recording({ clients: 2 })
    .seek(0, 1, { ttlMs: 250 })
    .seek(100, 0, { ttlMs: 2000 })
    .granted(200, 0, "a")
    .granted(200, 1, "b")
    .leave(300, 1, "b")
    .left(400, 1)
    .leave(700, 0, "a")
    .left(800, 0);
  expect(told("mutual-exclusion", late)).toContain(
    "The lease of client-1 may have ended as early as 150 ms, before the grant reached it",
  );
});

it("gives no end of a lease that explains nothing", () => {
  const released = new Recording({ clients: 2 })
    .seek(0, 0, { ttlMs: 50 })
    .granted(100, 0, "a")
    .leave(200, 0, "a")
    .left(200, 0)
    .seek(300, 1, { ttlMs: 50 })
    .granted(400, 1, "b")
    .leave(600, 0, "a")
    .left(700, 0);
  expect(told("linearizability", released)).toContain("the last to hold it was client-1 as owner b (since 300 ms");
});
