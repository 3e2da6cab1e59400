import { expect, it } from "vitest";
import { CLIENT_CRASH } from "../../core/fault-traits.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

const recording = (): Recording => new Recording({ clients: 2 }).acquire(0, 0, "a").release(10, 0, "a");

it("names the first client that its lock ended, and counts the others", () => {
  const reasonsOf = (written: Recording): readonly string[] =>
    checkHistory(written.history).reasons.filter((reason) => reason.includes("crashed"));
  expect(reasonsOf(recording().fault(15, "kill-client", { targets: ["client-1"] }))).toEqual([]);
  const once = recording().fault(20, CLIENT_CRASH, { targets: ["client-0"] });
  const first = "the lock crashed its client client-0 at 20 ms (event 4): it does not say how";
  expect(reasonsOf(once)).toEqual([first]);
  expect(reasonsOf(once.fault(30, CLIENT_CRASH, { targets: ["client-1"] }))).toEqual([`${first}; 1 more crashed`]);
});

it("says where the error came from, after an error that ends like a sentence or not", () => {
  const reasonOf = (evidence: string): string | undefined => {
    const targets = ["client-0"];
    const stack = ["Client.flush (client.js:3:1)"];
    return checkHistory(recording().fault(20, CLIENT_CRASH, { targets, stack, evidence }).history).reasons[0];
  };
  expect(reasonOf("Error: gone")).toMatch(/: Error: gone, at Client\.flush \(client\.js:3:1\)$/);
  expect(reasonOf("Error: gone.")).toMatch(/: Error: gone, at Client\.flush \(client\.js:3:1\)$/);
});

it("is the reason of a run in which nobody competed with a client that crashed", () => {
  expect(checkHistory(recording().history).reasons).toEqual(["no lock was ever contended"]);
  const crashed = recording().fault(20, CLIENT_CRASH, { targets: ["client-1"] });
  expect(checkHistory(crashed.history)).toMatchObject({
    verdict: "unknown",
    reasons: [expect.stringMatching(/^the lock crashed its client client-1 at 20 ms/)],
  });
});
