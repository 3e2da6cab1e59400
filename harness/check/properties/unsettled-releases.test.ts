import { expect, it } from "vitest";
import { SharedEvidence } from "../evidence/evidence.ts";
import { Recording } from "../testing/recording.ts";
import { UnsettledReleases } from "./unsettled-releases.ts";

/** Whether the last hold of the recording may be over, where one owner value is remembered. */
function mayBeOver(recording: Recording): boolean {
  const { header, events } = recording.history;
  const evidence = new SharedEvidence(header);
  const releases = new UnsettledReleases(1);
  for (const event of events) releases.push(evidence.push(event));
  return evidence.holds.open("k").some((hold) => releases.mayHaveEnded(hold));
}

it("takes a release that it has forgotten for one of any owner value", () => {
  const free = { clients: 3 };
  const unknown = new Recording(free).acquire(0, 0, "a").leave(5, 0, "a").info(6, 0, "release");
  expect(mayBeOver(unknown.acquire(10, 1, "b").release(20, 1, "b").acquire(30, 2, "c"))).toBe(true);
  const open = new Recording(free).acquire(0, 0, "a").leave(5, 0, "a");
  expect(mayBeOver(open.acquire(10, 1, "b").release(20, 1, "b").acquire(30, 2, "c"))).toBe(true);
  const answered = new Recording(free).acquire(0, 0, "a").release(5, 0, "a");
  expect(mayBeOver(answered.acquire(10, 1, "b").release(20, 1, "b").acquire(30, 2, "c"))).toBe(false);
});
