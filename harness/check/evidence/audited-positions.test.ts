import { expect, test } from "vitest";
import { AuditedPositions } from "./audited-positions.ts";

test("positions are known in whatever order they are named, however far apart, and no others", () => {
  const audited = new AuditedPositions();
  const named = [70, 0, 31, 32, 33, 2 ** 33 + 5, Number.MAX_SAFE_INTEGER];
  for (const position of named) audited.add("k", position);
  for (const position of named) expect(audited.has("k", position)).toBe(true);
  for (const position of [1, 30, 34, 69, 71, 5, 2 ** 33 + 4]) expect(audited.has("k", position)).toBe(false);
  expect(audited.has("other", 70)).toBe(false);
});
