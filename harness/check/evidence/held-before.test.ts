import { expect, it } from "vitest";
import type { HistoryHeader } from "../../history/history.ts";
import { Recording } from "../testing/recording.ts";
import { SharedEvidence } from "./evidence.ts";

/** Which of these owners may hold the key since before the history began, after what was recorded. */
function mayHold({ history }: Recording, header: Partial<HistoryHeader> = {}): readonly string[] {
  const evidence = new SharedEvidence({ ...history.header, ...header });
  for (const event of history.events) evidence.push(event);
  return ["a", "b"].filter((owner) => evidence.heldBefore.mayHold("k", owner));
}

it("anybody may hold a lock since before a history that began in the middle, until one owner is granted it alone", () => {
  const recording = (): Recording => new Recording({ clients: 2 }).on("k");
  expect(mayHold(recording())).toEqual(["a", "b"]);
  expect(mayHold(recording().acquire(0, 0, "a"))).toEqual(["a"]);
  expect(mayHold(recording().acquire(0, 0, "a").release(5, 0, "a").acquire(10, 1, "b"))).toEqual([]);
  expect(mayHold(recording(), { backend: "simulated" })).toEqual([]);
});
