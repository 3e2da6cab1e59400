import { Worker, type WorkerOptions } from "node:worker_threads";
import type { UserError } from "../../core/errors.ts";
import { giveHeartbeat, heartbeatMemory } from "../../client/heartbeat.ts";
import { codeOf } from "../../core/system-reason.ts";
import { HangWatch, type HangWatchOptions } from "./hang-watch.ts";

/**
 * Starts a thread that runs strangers' code, and watches it until it ends.
 * @param onHang called when strangers' code loops there without waiting, where the thread goes on looping until it is
 * ended; and when the thread takes all memory that it may have, which ends it
 * @param onSlowLoading called when loading a lock there takes its time
 */
export function startWatched(
  script: URL,
  options: WorkerOptions,
  onHang: (error: UserError) => void,
  onSlowLoading?: HangWatchOptions["onSlowLoading"],
): Worker {
  const memory = heartbeatMemory();
  giveHeartbeat(memory);
  const worker = new Worker(script, options);
  const watch = new HangWatch({ memory, onHang, onSlowLoading });
  worker.once("error", (error) => {
    if (codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY") watch.reportMemory();
  });
  worker.once("exit", () => watch[Symbol.dispose]());
  return worker;
}
