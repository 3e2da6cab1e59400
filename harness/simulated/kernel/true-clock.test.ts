import "../platform/install.ts";
import { expect, test } from "vitest";
import { Kernel } from "./kernel.ts";
import { trueClockOf } from "./true-clock.ts";

test("shows nanoseconds of true time and sleeps in it, regardless of the host's clocks show", async () => {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("runner", { rate: 3, offsetUs: 5_000_000 });
  const clock = trueClockOf(host);
  const seen: number[] = [];
  host.spawn("main", async () => {
    for (const ms of [1.5, 0, 0.0001]) {
      await clock.sleep(ms);
      seen.push(clock.now());
    }
  });
  await kernel.run();
  expect(seen).toEqual([1_500_000, 1_500_000, 1_501_000]);
});

test("an aborted sleep rejects with the signal's reason, at once", async () => {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("runner");
  const clock = trueClockOf(host);
  const controller = new AbortController();
  const [first, second] = [
    host.spawn("first", () => clock.sleep(1000, controller.signal).catch((error: unknown) => [clock.now(), error])),
    host.spawn("second", async () => {
      await clock.sleep(10);
      controller.abort("enough");
      return clock.sleep(1, controller.signal).catch((error: unknown) => error);
    }),
  ];
  await kernel.run();
  expect(first.value).toEqual([10_000_000, "enough"]);
  expect(second.value).toBe("enough");
  expect(kernel.now).toBe(10_000);
});
