import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { HarnessError } from "../../core/errors.ts";

const LAUNCHER = fileURLToPath(new URL("../../cli/launch.js", import.meta.url));
const PEAK = new URL("peak-on-exit.ts", import.meta.url).href;

/** A command of lockstorm that ran in a process of its own. */
export interface MeasuredCommand {
  readonly exitCode: number | null;
  readonly output: string;
  /** By the clock, from the start of the process to its end. */
  readonly seconds: number;
  /** Processor time of all its threads. */
  readonly cpuSeconds: number;
  /** The most memory that the process ever had (resident set), in megabytes. */
  readonly peakMb: number;
}

/**
 * Runs `lockstorm` with these words in a process of its own, and measures it.
 * @param expected the exit codes of a command that did its work
 * @throws HarnessError with what it printed, when it ended otherwise
 */
export async function measuredCommand(
  words: readonly string[],
  { signal, expected = [0] }: { readonly signal: AbortSignal; readonly expected?: readonly number[] },
): Promise<MeasuredCommand> {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-bench-"));
  try {
    const peak = join(folder, "peak");
    const begun = performance.now();
    const child = spawn(process.execPath, ["--import", PEAK, LAUNCHER, ...words], {
      env: { ...process.env, LOCKSTORM_BENCH_PEAK: peak },
      stdio: ["ignore", "pipe", "pipe"],
      signal,
    });
    const [output, errors, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit") as Promise<[number | null]>,
    ]);
    const seconds = (performance.now() - begun) / 1000;
    if (exitCode === null || !expected.includes(exitCode)) {
      throw new HarnessError(`lockstorm ${words.slice(0, 3).join(" ")} ended with ${exitCode}: ${errors.slice(-2000)}`);
    }
    const [peakKb = NaN, cpuMs = NaN] = readFileSync(peak, "utf8").split(" ").map(Number);
    return { exitCode, output, seconds, cpuSeconds: cpuMs / 1000, peakMb: peakKb / 1024 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
