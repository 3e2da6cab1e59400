import { expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { ADVERSARIAL_HEADER, adversarialEvents } from "../testing/adversarial-histories.ts";
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
