/**
 * Patches the platform. Import this before any library that is to run in a simulation, because libraries keep functions
 * of the platform when they are loaded:
 *
 *     import "../platform/install.ts";
 *
 * Outside a simulation every patched function does what it did before. Installing twice, from two copies of this module
 * too, changes nothing.
 */
import { syncBuiltinESMExports } from "node:module";
import { stage } from "../kernel/stage.ts";
import "./real.ts";
import { patchConsole } from "./console-output.ts";
import { patchDate } from "./dates.ts";
import { patchMonotonicClocks } from "./monotonic-clocks.ts";
import { patchProcessExit } from "./process-exit.ts";
import { patchRandomness } from "./randomness.ts";
import { patchSockets } from "./sockets.ts";
import { patchTicks } from "./ticks.ts";
import { patchTimerPromises } from "./timer-promises.ts";
import { patchTimers } from "./timers.ts";

if (!stage.patched) {
  stage.patched = true;
  patchDate();
  patchMonotonicClocks();
  patchTimers();
  patchTimerPromises();
  patchTicks();
  patchRandomness();
  patchSockets();
  patchConsole();
  patchProcessExit();
  syncBuiltinESMExports();
}
