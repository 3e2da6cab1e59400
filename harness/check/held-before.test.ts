import { expect, it } from "vitest";
import { checkHistory } from "./check.ts";
import { Recording } from "./testing/recording.ts";

it("an acquire of unknown outcome may have entered the hold that its client extends, from before the history", () => {
  const recording = new Recording({ clients: 3 });
  recording.seekExtension(2, 1, "c1", 400);
  recording.extended(3, 1, "c1");
  recording.seek(4, 1, { ttlMs: 20 });
  recording.info(5, 1, "acquire");
  recording.seek(30, 0, { ttlMs: 20 });
  recording.granted(31, 0, "c0");
  const { properties } = checkHistory(recording.history);
  expect(properties.linearizability?.verdict).toBe("valid");
});

it("an extension of unknown outcome, from before the history, may cut a later lease of its owner value", () => {
  const recording = new Recording({ clients: 3 });
  recording.seekExtension(2, 1, "c1", 20);
  recording.info(3, 1, "extend");
  recording.seek(4, 4, { ttlMs: 100 });
  recording.granted(5, 4, "c1");
  recording.seek(42, 2, { ttlMs: 20 });
  recording.granted(43, 2, "c2");
  const { properties } = checkHistory(recording.history);
  expect(properties["lease-exclusion"]?.verdict).toBe("valid");
});
