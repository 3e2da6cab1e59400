import { expect, test } from "vitest";
import { settleAll } from "./settle-all.ts";

test("gives what each came to, in order", async () => {
  expect(await settleAll([Promise.resolve(1), "two", Promise.resolve(true)])).toEqual([1, "two", true]);
});

test("rejects only when nothing is under way any more", async () => {
  const slow = Promise.withResolvers<void>();
  let rejected = false;
  const all = settleAll([Promise.reject(new Error("at once")), slow.promise]);
  const seen = all.catch((error: unknown) => {
    rejected = true;
    return error;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(rejected).toBe(false);
  slow.resolve();
  expect(await seen).toEqual(new Error("at once"));
});
