/**
 * The process that briefly outlives a harness. It reads its standard input, a pipe whose other end only the harness
 * holds. When the pipe ends without that word, it cleans up after the run. Its argument is the run's id.
 */
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { RunResources } from "./run-resources.ts";
import { sweepRun, removedAnything } from "./sweep.ts";
import { ORDERLY_END } from "./watchdog.ts";

/**
 * A call that was in progress when the harness died still takes effect without anybody being told: the engine makes one
 * more container. Only a second look finds it. A create takes 200 ms; this waits ten times as long.
 */
const QUIET_PASSES = 4;
const BETWEEN_PASSES_MS = 500;

const runId = process.argv[2];
if (runId === undefined) throw new Error("the argument is the run's id");

// Later, the record may be gone.
const { usesEngine } = RunResources.of(runId);

if ((await text(process.stdin)) !== ORDERLY_END) {
  for (let quiet = 0; quiet < QUIET_PASSES;) {
    quiet = removedAnything(await sweepRun(runId, usesEngine)) ? 0 : quiet + 1;
    await sleep(BETWEEN_PASSES_MS);
  }
}
