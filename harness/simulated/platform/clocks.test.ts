import "./install.ts";
import crypto from "node:crypto";
import os from "node:os";
import timerPromises from "node:timers/promises";
import { expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";
import { inHost } from "./testing/in-simulation.ts";

const EPOCH_MS = Date.UTC(2025, 0, 1);

test("formats that get no date read the wall clock", async () => {
  const format = new Intl.DateTimeFormat("en", { timeStyle: "medium", timeZone: "UTC" });
  const seen = await inHost(async () => {
    await timerPromises.setTimeout(61_000);
    const parts = format.formatToParts().map(({ value }) => value);
    return [format.format(), parts.join(""), format.format(new Date(0)), format.formatToParts(1000)[4]?.value];
  });
  expect(seen.map((text) => text?.replace("\u202f", " "))).toEqual(["12:01:01 AM", "12:01:01 AM", "12:00:00 AM", "01"]);
  expect(format.format(EPOCH_MS)).toBe(format.format(new Date(EPOCH_MS)));
  expect(Reflect.get(format, "format")).toBe(Reflect.get(format, "format"));
});

test("marks and measures of performance are of the monotonic clock", async () => {
  const seen = await inHost(async () => {
    performance.mark("asked");
    performance.mark("given", { startTime: 7, detail: "d" });
    await timerPromises.setTimeout(250);
    const measures = [
      performance.measure("from a mark", "asked"),
      performance.measure("from 0"),
      performance.measure("between", "asked", "given"),
      performance.measure("from a time", { start: 50, detail: "d" }),
      performance.measure("of a duration", { start: 50, duration: 5 }),
    ];
    return [performance.mark("late").startTime, ...measures.map(({ duration }) => duration), measures[3]?.detail];
  });
  expect(seen).toEqual([250, 250, 250, 7, 200, 5, "d"]);
});

test("the monotonic clock begins where the wall clock was then, which setting the wall clock does not change", async () => {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("client-0");
  const seen: number[] = [];
  const look = (): unknown =>
    seen.push(performance.timeOrigin, performance.timeOrigin + performance.now(), os.uptime());
  host.spawn("main", () => setTimeout(look, 2500));
  await kernel.run();
  host.clock.jump(60_000_000);
  host.spawn("main", () => setTimeout(look, 500));
  await kernel.run();
  expect(seen).toEqual([EPOCH_MS, EPOCH_MS + 2500, 2.5, EPOCH_MS, EPOCH_MS + 3000, 3]);
});

test.runIf(Reflect.has(crypto, "randomUUIDv7"))(
  "a UUID that begins with the time begins with the wall clock's",
  async () => {
    const make = Reflect.get(crypto, "randomUUIDv7") as () => string;
    const [first, again] = [await inHost(make), await inHost(make)];
    expect(first).toBe(again);
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(first.replaceAll("-", "").slice(0, 12), 16)).toBe(EPOCH_MS);
  },
);
