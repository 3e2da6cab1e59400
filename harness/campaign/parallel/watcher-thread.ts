/** The thread that watches one which nobody else can watch: see `watchThisThread`. */
import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { printable } from "../../core/printable.ts";
import { HangWatch, type HangWatchOptions } from "./hang-watch.ts";

const watched = workerData as Omit<HangWatchOptions, "onHang">;

const watch = new HangWatch({
  ...watched,
  onHang: ({ message, hint }) => {
    writeSync(2, `\nlockstorm: ${printable(`${message}; ${hint}`)}\n`);
    // No other way out of a thread that loops, which may be the process's first.
    process.kill(process.pid, "SIGKILL");
  },
});
// The watch alone does not keep this thread alive.
parentPort?.on("message", () => {});
parentPort?.once("close", () => watch[Symbol.dispose]());
parentPort?.postMessage("ready");
