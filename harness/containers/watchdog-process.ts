/**
 * The process that outlives a harness by a moment: it reads its standard input, a pipe whose other end only the harness
 * holds, and when that ends without a farewell it cleans up after the run. Its argument is the run's id.
 */
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { sweepRun, sweptAnything } from "./sweep.ts";
import { FAREWELL } from "./watchdog.ts";

/**
 * A call that was on its way when the harness died still has its effect, and no one is told: the engine makes one more
 * container. Only looking again finds it; a create takes a fifth of a second, ten times that is enough.
 */
const QUIET_PASSES = 4;
const BETWEEN_PASSES_MS = 500;

const runId = process.argv[2];
if (runId === undefined) throw new Error("the argument is the run's id");

if ((await text(process.stdin)) !== FAREWELL) {
  for (let quiet = 0; quiet < QUIET_PASSES;) {
    quiet = sweptAnything(await sweepRun(runId)) ? 0 : quiet + 1;
    await sleep(BETWEEN_PASSES_MS);
  }
}
