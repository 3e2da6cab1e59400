import { expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const MS = 1e-6;

/** The remarks on a history whose operations take `tookMs` each. */
function remarksOn(tookMs: number, { ttlMs = 30_000, backend = undefined as string | undefined } = {}): string {
  const recording = new Recording({ clients: 2, ...(backend === undefined ? {} : { backend }) });
  for (const [number, owner] of ["a", "b", "c", "d"].entries()) {
    const at = number * 1000 * tookMs;
    recording.seek(at, number % 2, { ttlMs }).granted(at + tookMs, number % 2, owner);
    recording.leave(at + 5 * tookMs, number % 2, owner).left(at + 6 * tookMs, number % 2);
  }
  return checkHistory(recording.history, { foreign: true }).remarks.join("\n");
}

it("asks whether times are nanoseconds, where operations take less time than a network needs", () => {
  const question =
    "most operations took less than 0.01 ms, which no network does: is every `time` in nanoseconds? Multiply milliseconds by 1000000, microseconds by 1000";
  expect(remarksOn(2 * MS)).toContain(question);
  expect(remarksOn(9000 * MS)).toContain(question);
  expect(remarksOn(0.5)).not.toContain("nanoseconds");
});

it("asks nothing of times that nothing depends on, or that lockstorm recorded", () => {
  expect(remarksOn(2 * MS, { ttlMs: 1e9 })).not.toContain("nanoseconds");
  expect(remarksOn(2 * MS, { backend: "simulated" })).not.toContain("nanoseconds");
  // A clock of milliseconds shows many operations without a length.
  expect(remarksOn(0)).not.toContain("nanoseconds");
});
