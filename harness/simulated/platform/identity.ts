import os from "node:os";
import workerThreads from "node:worker_threads";
import { current } from "../kernel/current-context.ts";
import type { Host } from "../kernel/host.ts";
import { patch } from "./replace.ts";

/** Process numbers of a host begin here, so that none is that of another host. */
const PROCESSES_PER_HOST = 10_000;

/** The process that started a host's program: the first of its machine. */
const PARENT = 1;

/** What the main thread of a process has: a host's program runs there, whatever thread simulates it. */
const MAIN_THREAD = {
  isMainThread: true,
  threadId: 0,
  parentPort: null,
  workerData: null,
  resourceLimits: {},
} as const;

/**
 * Patches `process.pid`, `process.ppid`, `os.hostname` and what tells the threads of a process apart: a host is a machine of
 * its own, and each of its lives is another process. Locks make owner values of them.
 */
export function patchIdentity(): void {
  giveHosts(process, "pid", pidOf);
  giveHosts(process, "ppid", () => PARENT);
  patch(os, "hostname", "os.hostname", (host) => host.name);
  for (const [name, value] of Object.entries(MAIN_THREAD)) giveHosts(workerThreads, name, () => value);
}

/** Makes a property that has a value of its own in hosts. */
function giveHosts(home: object, name: string, ofHost: (host: Host) => unknown): void {
  const value: unknown = Reflect.get(home, name);
  Object.defineProperty(home, name, {
    configurable: true,
    enumerable: true,
    get: () => (current.host === null ? value : ofHost(current.host)),
  });
}

function pidOf({ name, life, kernel }: Host): number {
  const place = [...kernel.hosts.keys()].indexOf(name) + 1;
  return place * PROCESSES_PER_HOST + life;
}
