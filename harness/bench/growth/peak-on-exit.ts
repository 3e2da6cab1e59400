/**
 * Loaded before a command that is measured: when it ends, it writes the most memory that the process had, in KiB, and its
 * processor time, in milliseconds.
 */
import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env["LOCKSTORM_BENCH_PEAK"];
if (isMainThread && file !== undefined) {
  process.on("exit", () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    writeFileSync(file, `${maxRSS} ${(userCPUTime + systemCPUTime) / 1000}`);
  });
}
