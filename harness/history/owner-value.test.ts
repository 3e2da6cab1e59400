import { expect, it } from "vitest";
import { shortOwner } from "./owner-value.ts";

it("shows the beginning of an owner value", () => {
  expect(shortOwner("owner")).toBe("owner");
  expect(shortOwner("123456789")).toBe("123456789");
  expect(shortOwner("1234567890")).toBe("12345678…");
  expect(shortOwner("1234567890", "..")).toBe("1234567890");
});

it.each([
  ["host-1:4711:1", "host-1:4711:2", "host-1:4…1", "host-1:4…2"],
  ["worker-x1", "worker-x22", "worker-x1", "worker-x22"],
  [`${"a".repeat(3000)}0123456789`, `${"a".repeat(3000)}9876543210`, "aaaaaaaa…01234567…", "aaaaaaaa…98765432…"],
  ["aaaaaaaaaaaa", "aaaaaaaaaaaab", "aaaaaaaa…", "aaaaaaaa…b"],
  ["9f2c01ab77", "51c09e1d77", "9f2c01ab…", "51c09e1d…"],
])("tells %s and %s apart", (one, other, shortOne, shortOther) => {
  expect(shortOwner(one, "…", [one, other])).toBe(shortOne);
  expect(shortOwner(other, "…", [one, other])).toBe(shortOther);
});

it("says whole that a value was replaced", () => {
  expect(shortOwner("f7 (replaced)")).toBe("f7 (replaced)");
  expect(shortOwner("1234567890 (replaced)")).toBe("12345678… (replaced)");
});
