/**
 * Patches the platform. Import this before any library that is to run in a simulation, because libraries keep functions
 * of the platform when they are loaded:
 *
 *     import "./install.ts";
 *
 * Outside a simulation every patched function does what it did before. Installing twice, from two copies of this module
 * too, changes nothing.
 */
import { syncBuiltinESMExports } from "node:module";
import { noteBuiltIns } from "../../client/built-ins.ts";
import { current } from "../kernel/current-context.ts";
import "./real.ts";
import { patchConsole } from "./console-output.ts";
import { patchDate } from "./dates.ts";
import { patchDiagnosticsChannels } from "./diagnostics-channels.ts";
import { patchFiles } from "./files.ts";
import { patchGarbage } from "./garbage.ts";
import { patchIdentity } from "./identity.ts";
import { patchMessageChannel } from "./message-channel.ts";
import { patchMonotonicClocks } from "./monotonic-clocks.ts";
import { patchProcessEvents } from "./process-events.ts";
import { patchProcessExit } from "./process-exit.ts";
import { patchRandomness } from "./randomness.ts";
import { patchSockets } from "./sockets.ts";
import { patchThreadPool } from "./thread-pool.ts";
import { patchTicks } from "./ticks.ts";
import { patchTimerPromises } from "./timer-promises.ts";
import { patchTimers } from "./timers.ts";
import { patchUsage } from "./usage.ts";
import { patchWebPlatform } from "./web-platform.ts";

if (!current.patched) {
  current.patched = true;
  patchDate();
  patchMonotonicClocks();
  patchUsage();
  patchTimers();
  patchTimerPromises();
  patchTicks();
  patchRandomness();
  patchIdentity();
  patchSockets();
  patchFiles();
  patchThreadPool();
  patchMessageChannel();
  patchWebPlatform();
  patchGarbage();
  patchConsole();
  patchDiagnosticsChannels();
  patchProcessEvents();
  patchProcessExit();
  syncBuiltinESMExports();
  noteBuiltIns();
}
