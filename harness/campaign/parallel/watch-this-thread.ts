import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { heartbeat } from "../../client/heartbeat.ts";
import type { HangWatchOptions } from "./hang-watch.ts";

const PROGRAM = new URL(`./watcher-thread${extname(import.meta.url)}`, import.meta.url);
let watched: Promise<unknown> | undefined;

/**
 * Has this thread watched by one of its own, for as long as it lives. When strangers' code loops here without waiting,
 * the process says so in one line on standard error, and ends: nothing else would end it.
 */
export async function watchThisThread(): Promise<void> {
  watched ??= start();
  await watched;
}

async function start(): Promise<void> {
  const workerData: Omit<HangWatchOptions, "onHang"> = { memory: heartbeat.memory };
  const worker = new Worker(PROGRAM, { workerData, execArgv: [] });
  await once(worker, "message");
  worker.unref();
}
