import { expect, test } from "vitest";
import { HarnessError, UserError } from "../../core/errors.ts";
import { NotBegunError } from "./failed-run.ts";
import { StartedAgain } from "./started-again.ts";

/** Ends as these outcomes say, one after another. */
function outcomes(...each: readonly (string | Error)[]): () => Promise<string> {
  const left = [...each];
  return async () => {
    const outcome = left.shift();
    if (typeof outcome === "string") return outcome;
    throw outcome;
  };
}

const refused = new UserError("the lock of client-0 could not connect: no answer", "fix its driver");

test("a run whose client cannot connect is tried once more, if an earlier run could", async () => {
  const again: string[] = [];
  const runs = new StartedAgain(true, (reason) => again.push(reason));
  const start = outcomes("valid", refused, "valid", refused, refused);
  expect(await runs.run(start)).toBe("valid");
  expect(await runs.run(start)).toBe("valid");
  expect(again).toEqual([refused.message]);
  await expect(runs.run(start)).rejects.toBe(refused);
});

test("a client that never could connect, and a harness that fails, end the hunt", async () => {
  const again: string[] = [];
  const runs = new StartedAgain(true, (reason) => again.push(reason));
  await expect(runs.run(outcomes(refused, "valid"))).rejects.toBe(refused);
  const failure = new HarnessError("no more memory");
  const start = outcomes("valid", failure);
  await runs.run(start);
  await expect(runs.run(start)).rejects.toBe(failure);
  expect(again).toEqual([]);
});

test("a system that cannot be started is tried once more, if an earlier one could", async () => {
  const again: string[] = [];
  const runs = new StartedAgain(true, (reason) => again.push(reason));
  const hangs = new NotBegunError("the container engine hangs");
  await expect(runs.run(outcomes(hangs, "valid"))).rejects.toBe(hangs);
  const start = outcomes("valid", hangs, "valid");
  await runs.run(start);
  expect(await runs.run(start)).toBe("valid");
  expect(again).toEqual([hangs.message]);
});

test("in simulation no run is tried again", async () => {
  const runs = new StartedAgain(false, () => expect.unreachable());
  const start = outcomes("valid", refused, "valid");
  await runs.run(start);
  await expect(runs.run(start)).rejects.toBe(refused);
});

test("a first run is tried again where it is known that one can begin", async () => {
  const again: string[] = [];
  const runs = new StartedAgain(true, (reason) => again.push(reason), true);
  expect(await runs.run(outcomes(refused, "valid"))).toBe("valid");
  expect(again).toEqual([refused.message]);
});

test("a run that fails beside a first one is tried once more when that one has shown that a run can begin", async () => {
  const again: string[] = [];
  const runs = new StartedAgain(true, (reason) => again.push(reason));
  const first = Promise.withResolvers<string>();
  const beside = runs.run(() => first.promise);
  const failing = runs.run(outcomes(refused, "valid"));
  first.resolve("first");
  expect(await Promise.all([beside, failing])).toEqual(["first", "valid"]);
  expect(again).toEqual([refused.message]);
});

test("runs that fail beside each other end the hunt", async () => {
  const runs = new StartedAgain(true, () => expect.unreachable());
  const both = await Promise.allSettled([runs.run(outcomes(refused, "valid")), runs.run(outcomes(refused, "valid"))]);
  expect(both).toEqual([
    { status: "rejected", reason: refused },
    { status: "rejected", reason: refused },
  ]);
});
