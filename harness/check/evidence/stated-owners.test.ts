/** Reports name a hold and an operation by the owner values that the recording has, whatever the checkers compare them by. */
import { expect, it } from "vitest";
import type { Property, Violation } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function violationOf(property: Property, { history }: Recording): Violation | undefined {
  return checkHistory(history, { foreign: true }).properties[property]?.violations[0];
}

/** Client 0 calls something that is never answered, goes on as process 2, and is granted the key as `o3`; then client 1 is. */
function granted(begin: (recording: Recording) => Recording): Recording {
  return begin(new Recording({ clients: 2 }).acquire(0, 0, "o1"))
    .acquire(60, 2, "o3")
    .acquire(80, 1, "c")
    .release(90, 2, "o3")
    .release(95, 1, "c");
}

const released = granted((recording) => recording.leave(50, 0, "o1"));
const extended = granted((recording) => recording.seekExtension(50, 0, "o1", 500));

it.each(["mutual-exclusion", "lease-exclusion"] as const)("%s names a hold by the value of its grant", (property) => {
  const ofNew = violationOf(property, released);
  expect(ofNew?.explanation).toContain("client-0 (process 2, owner o3) was granted it at 61 ms");
  expect(ofNew?.holders).toEqual([
    { process: 2, owner: "o3" },
    { process: 1, owner: "c" },
  ]);
  const ofOld = violationOf(property, extended);
  expect(ofOld?.explanation).toContain("client-0 (process 0, owner o1) was granted it at 1 ms");
});

it("owner-release names a release by its own value", () => {
  for (const recording of [released, extended])
    expect(violationOf("owner-release", recording)?.explanation).toContain("client-0 (owner o3) released k");
});

it("owner-release names an operation that is twice another's, or whose hold nobody saw, by its own value", () => {
  const twice = new Recording({ clients: 2 })
    .acquire(0, 0, "o1")
    .leave(50, 0, "o1")
    .acquire(60, 2, "o3", { ttlMs: 100 });
  twice.seekExtension(70, 2, "o3", 100).extended(71, 2, "o4").acquire(300, 1, "c").release(310, 2, "o4");
  const violation = violationOf("owner-release", twice)!;
  expect(violation.explanation).toContain("client-0 (owner o4) released k");
  expect(violation.holders?.[0]).toEqual({ process: 2, owner: "o3" });
  const unseen = new Recording({ clients: 2 }).seekExtension(0, 0, "x", 100).extended(1, 0, "y");
  const { holders } = violationOf("owner-release", unseen.acquire(300, 1, "c").release(310, 0, "y"))!;
  expect(holders?.[0]).toEqual({ process: 0, owner: "y" });
});

it("lease-exclusion names a grant that was over when it came by its own value", () => {
  const late = new Recording({ clients: 2 }).acquire(0, 0, "o1").leave(50, 0, "o1");
  const { explanation } = violationOf("lease-exclusion", late.acquire(60, 2, "o3", { validForMs: 0 }))!;
  expect(explanation).toContain("client-0 (process 2, owner o3) asked for k");
});

it("linearizability names the operation and the holder by the values that they state", () => {
  const { explanation } = violationOf("linearizability", released)!;
  expect(explanation).toContain(
    "client-0 released it as owner o3 between 90 ms and 91 ms: client-1 as owner c held it",
  );
  const entered = new Recording({ clients: 2 }).acquire(0, 0, "o1").seek(50, 0).release(55, 2, "o1");
  const beside = violationOf("linearizability", entered.acquire(60, 2, "o3").acquire(80, 1, "c"))!;
  expect(beside.explanation).toContain("as owner c between 80 ms and 81 ms: client-0 as owner o3 held it");
});

/** Client 0 held as `a`, then as `b`, until client 1 was granted the key. */
function handedOver(): Recording {
  const extension = new Recording({ clients: 3 }).acquire(0, 0, "a", { ttlMs: 100 }).seekExtension(50, 0, "a", 100);
  return extension.extended(51, 0, "b").acquire(300, 1, "c");
}

it("a cause names a release and an extension by its own value", () => {
  const taken = violationOf("lease-exclusion", handedOver().release(310, 0, "b").acquire(320, 2, "d"))!;
  expect(taken.explanation).toContain("a release by client-0, with owner b (events 6 and 7)");
  const overwritten = handedOver().seekExtension(310, 0, "b", 5).info(312, 0, "extend").acquire(330, 2, "d");
  const causes = violationOf("lease-exclusion", overwritten)?.hypotheses?.map(({ why }) => why) ?? [];
  expect(causes.join()).toContain("an extension by client-0, with owner b (events 6 and 7)");
});

it("a value that an extension has replaced is still said to be replaced", () => {
  const { explanation } = violationOf("owner-release", handedOver().release(310, 0, "a"))!;
  expect(explanation).toContain("client-0 (owner a (replaced)) released k");
});

it("writes of one owner value share its fencing token, though one is listed before the grant by another clock", () => {
  const written = (owner: string): Recording =>
    new Recording({ clients: 2, clockUncertaintyMs: 5 })
      .acquire(0, 0, "o1", { fence: 1 })
      .leave(50, 0, "o1")
      .info(100, 0, "release")
      .seek(110, 2)
      .audit(118, 1, "w1", { owner, fence: 2 })
      .granted(120, 2, "o3", { fence: 2 })
      .audit(131, 2, "w2", { owner: "o3", fence: 2 });
  expect(violationOf("stale-writes", written("o3"))).toBeUndefined();
  expect(violationOf("stale-writes", written("o4"))?.explanation).toContain(
    "accepted write w2 (owner o3) with fencing token 2, the same as that of write w1 (owner o4)",
  );
});

it.each([
  ["listed at once", 40],
  ["listed as late as the clocks differ", 31],
])(
  "a write under a value that an extension drew is its hold's, though it is %s by another clock than the answer",
  (_, listedMs) => {
    const written = (owner: string): Recording =>
      new Recording({ clients: 2, clockUncertaintyMs: 20 })
        .acquire(0, 0, "a", { fence: 4 })
        .write(5, 0, "a", "w1", { fence: 4 })
        .audit(6, 1, "w1", { owner: "a", fence: 4 })
        .audit(listedMs, 2, "w2", { owner, fence: 4 })
        .wrote(45, 0, 1)
        .seekExtension(46, 0, "a", 1000)
        .extended(51, 0, "b")
        .write(55, 0, "b", "w2", { fence: 4 })
        .wrote(58, 0, 2);
    expect(violationOf("stale-writes", written("b"))).toBeUndefined();
    expect(violationOf("stale-writes", written("c"))?.explanation).toContain("(owner c)");
  },
);
