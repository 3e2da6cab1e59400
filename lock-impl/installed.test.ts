import { expect, test } from "vitest";
import { isInstalled } from "./installed.ts";
import { locks } from "./registry.ts";

test("all that this project tests is installed here", () => {
  expect(locks.filter((lock) => !isInstalled(lock)).map(({ name }) => name)).toEqual([]);
});

test.each(["no-such-package@1.0.0", "@no-such/package@1.0.0", "other@npm:redlock@4.2.0"])("%s is not", (npmPackage) => {
  expect(isInstalled({ npmPackage })).toBe(false);
});
