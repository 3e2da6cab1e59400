import os from "node:os";
import type { MeasureOptions } from "node:perf_hooks";
import { hostCalling } from "../kernel/current-context.ts";
import type { Host } from "../kernel/host.ts";
import { patch, replace } from "./replace.ts";

const NANOSECONDS_PER_SECOND = 1_000_000_000n;

/**
 * Patches `performance.now`, `process.hrtime` with its `bigint`, `process.uptime` and `os.uptime`: a host's monotonic clock.
 * `performance.timeOrigin` is what its wall clock showed when that clock was 0; what sets the wall clock later does not move it.
 */
export function patchMonotonicClocks(): void {
  patch(performance, "now", "performance.now", (host) => monotonicUs(host) / 1000);
  patch(process, "uptime", "process.uptime", (host) => monotonicUs(host) / 1_000_000);
  patch(os, "uptime", "os.uptime", (host) => Math.floor(monotonicUs(host) / 10_000) / 100);
  patchMarks();
  const { timeOrigin } = performance;
  Object.defineProperty(performance, "timeOrigin", {
    configurable: true,
    enumerable: true,
    get: () => originMs(hostCalling("performance.timeOrigin")) ?? timeOrigin,
  });
  const realHrtime = process.hrtime;
  patch(process, "hrtime", "process.hrtime", (host, [since]) => pair(monotonicNs(host), since));
  patch(realHrtime, "bigint", "process.hrtime.bigint", monotonicNs);
  replace(process.hrtime, "bigint", Reflect.get(realHrtime, "bigint"));
}

/** Marks are made, and measures end, at the host's time unless the program gives another one. */
function patchMarks(): void {
  const mark = performance.mark.bind(performance);
  const measure = performance.measure.bind(performance);
  patch(performance, "mark", "performance.mark", (host, [name, options]) =>
    mark(name as string, { startTime: monotonicUs(host) / 1000, ...(options as object) }),
  );
  patch(performance, "measure", "performance.measure", (host, [name, from, to]) => {
    const asked: MeasureOptions =
      typeof from === "object" ? { ...from } : { start: from as string | undefined, end: to as string | undefined };
    const isEnded = asked.end !== undefined || asked.duration !== undefined;
    const end = isEnded ? {} : { end: monotonicUs(host) / 1000 };
    return measure(name as string, { start: 0, ...withoutAbsent(asked), ...end });
  });
}

/** Without the keys whose value is undefined. */
function withoutAbsent(options: MeasureOptions): MeasureOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function originMs(host: Host | null): number | undefined {
  return host === null ? undefined : (host.clock.wallUs() - host.clock.monotonicUs() - host.clock.offsetUs) / 1000;
}

function monotonicUs(host: Host): number {
  host.countClockRead();
  return host.clock.monotonicUs();
}

function monotonicNs(host: Host): bigint {
  return BigInt(Math.floor(monotonicUs(host) * 1000));
}

function pair(ns: bigint, since: unknown): [number, number] {
  const [seconds, nanoseconds]: unknown[] = Array.isArray(since) ? since : [0, 0];
  const elapsed = ns - BigInt(Number(seconds)) * NANOSECONDS_PER_SECOND - BigInt(Number(nanoseconds));
  return [Number(elapsed / NANOSECONDS_PER_SECOND), Number(elapsed % NANOSECONDS_PER_SECOND)];
}
