import os from "node:os";
import type { EventLoopUtilization } from "node:perf_hooks";
import type { Host } from "../kernel/host.ts";
import { patch, replace } from "./replace.ts";

const MEGABYTE = 1024 ** 2;
const FREE_MEMORY = 1024 * MEGABYTE;
/** The memory of a small program, in bytes. */
const MEMORY = {
  rss: 64 * MEGABYTE,
  heapTotal: 32 * MEGABYTE,
  heapUsed: 16 * MEGABYTE,
  external: 2 * MEGABYTE,
  arrayBuffers: MEGABYTE,
} as const;

/**
 * Patches what tells a program how much it computes and how much memory it takes: the real numbers are those of the whole
 * simulation, and different each time. In a host computing takes no time, and memory stays as it is.
 */
export function patchUsage(): void {
  for (const name of ["cpuUsage", "threadCpuUsage"]) {
    if (Reflect.has(process, name)) patch(process, name, `process.${name}`, () => ({ user: 0, system: 0 }));
  }
  const measured = Object.keys(process.resourceUsage());
  patch(process, "resourceUsage", "process.resourceUsage", () =>
    Object.fromEntries(measured.map((name) => [name, name === "maxRSS" ? MEMORY.rss / 1024 : 0])),
  );
  const { memoryUsage } = process;
  patch(process, "memoryUsage", "process.memoryUsage", () => ({ ...MEMORY }));
  patch(memoryUsage, "rss", "process.memoryUsage.rss", () => MEMORY.rss);
  replace(process.memoryUsage, "rss", Reflect.get(memoryUsage, "rss"));
  patch(process, "availableMemory", "process.availableMemory", () => FREE_MEMORY);
  patch(os, "freemem", "os.freemem", () => FREE_MEMORY);
  patch(os, "loadavg", "os.loadavg", () => [0, 0, 0]);
  patch(performance, "eventLoopUtilization", "performance.eventLoopUtilization", utilization);
}

/** @param given up to two former answers: the later one, and what to subtract from it */
function utilization(host: Host, given: readonly unknown[]): EventLoopUtilization {
  const [one, other] = given as readonly (EventLoopUtilization | undefined)[];
  const nowMs = host.clock.monotonicUs() / 1000;
  const idle = other === undefined ? nowMs - (one?.idle ?? 0) : (one?.idle ?? nowMs) - other.idle;
  return { idle, active: 0, utilization: 0 };
}
