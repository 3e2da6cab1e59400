import { expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { ADVERSARIAL_HEADER, adversarialEvents } from "../testing/adversarial-histories.ts";
import { Recording } from "../testing/recording.ts";
import { leaseExclusion } from "./lease-exclusion.ts";

it("counts all overlaps of thousands of open grants, and lists a hundred of them", () => {
  const grants = 1500;
  const events = [...adversarialEvents("open overlapping grants", 2 * grants)];
  const { properties, remarks } = checkHistory({ header: ADVERSARIAL_HEADER, events }, { checkers: [leaseExclusion] });
  expect(properties["lease-exclusion"]?.violations).toHaveLength(100);
  // Each grant is compared with the eight latest before it.
  const overlaps = 8 * grants - (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8);
  expect(remarks).toContain(`${overlaps - 100} more violations of lease-exclusion are not listed`);
});

it("says of a hold that is given up as soon as it is granted that the overlap is an instant", () => {
  const recording = new Recording().acquire(0, 0, "a", { ttlMs: 1000 }).acquire(10, 1, "b").release(11, 1, "b");
  const history = recording.release(100, 0, "a").history;
  const { properties } = checkHistory(history);
  expect(properties["lease-exclusion"]?.violations[0]?.explanation).toContain(
    "The lock promised k to two owners at the same time, for an instant from 11 ms on.",
  );
  expect(properties["mutual-exclusion"]?.violations[0]?.explanation).toContain(
    "Two clients held k at the same time for an instant.",
  );
});

it("says what was over when it came: a grant or an extension, and for how long", () => {
  const told = (recording: Recording): string =>
    checkHistory(recording.history).properties["lease-exclusion"]?.violations[0]?.explanation ?? "";
  expect(told(new Recording().acquire(0, 0, "a", { validForMs: 0 }))).toContain(
    "asked for k at 0 ms and was granted it at 1 ms, when the lease, by the validity that the lock reported, had just ended.",
  );
  const begun = new Recording().acquire(0, 0, "a", { validForMs: 500 });
  expect(told(begun.extend(100, 0, "a", { validForMs: -3 }))).toContain(
    "asked to extend k at 100 ms and was told that it was extended at 101 ms, when the lease, by the validity that the lock reported, had been over for 3 ms.",
  );
});

it("counts a cut lease from its beginning, which a lock that waits reports, and not from the request", () => {
  // The first acquire of client-0 is never answered: it may cut the lease of its second to 500 ms.
  const waited = (): Recording =>
    new Recording({ clients: 2 })
      .seek(0, 0, { ttlMs: 500 })
      .info(1, 0, "acquire")
      .seek(2, 2, { ttlMs: 800, waitMs: 1600 })
      .granted(852, 2, "a", { validForMs: 800 });
  const judge = (recording: Recording): string | undefined =>
    checkHistory(recording.history).properties["lease-exclusion"]?.verdict;
  expect(judge(waited().acquire(1300, 1, "b").release(1400, 2, "a"))).toBe("invalid");
  expect(judge(waited().acquire(1352, 1, "b").release(1400, 2, "a"))).toBe("valid");
});
