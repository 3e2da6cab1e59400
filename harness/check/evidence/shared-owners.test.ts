import { expect, test } from "vitest";
import { Recording } from "../testing/recording.ts";
import { SharedOwners } from "./shared-owners.ts";

const isOneProcess = (one: number, other: number): boolean => one === other;

function usedBy(...processes: readonly number[]): SharedOwners {
  const recording = new Recording();
  processes.forEach((process, position) => recording.acquire(position * 10, process, "a"));
  const shared = new SharedOwners(isOneProcess);
  for (const event of recording.history.events) shared.push(event);
  return shared;
}

test("an owner value that two clients used stays shared, whoever uses it after them", () => {
  expect(usedBy(0, 0).has("k", "a")).toBe(false);
  expect(usedBy(0, 1).has("k", "a")).toBe(true);
  expect(usedBy(0, 1, 1).has("k", "a")).toBe(true);
  expect(usedBy(0, 1).has("k", "b")).toBe(false);
});
