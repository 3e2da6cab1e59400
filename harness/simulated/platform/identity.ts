import os from "node:os";
import { current } from "../kernel/current-context.ts";
import type { Host } from "../kernel/host.ts";
import { patch } from "./replace.ts";

/** Process numbers of a host begin here, so that none is that of another host. */
const PROCESSES_PER_HOST = 10_000;

/**
 * Patches `process.pid` and `os.hostname`: a host is a machine of its own, and each of its lives is another process. Locks
 * make owner values of both.
 */
export function patchIdentity(): void {
  const { pid } = process;
  Object.defineProperty(process, "pid", {
    configurable: true,
    enumerable: true,
    get: () => (current.host === null ? pid : pidOf(current.host)),
  });
  patch(os, "hostname", "os.hostname", (host) => host.name);
}

function pidOf({ name, life, kernel }: Host): number {
  const place = [...kernel.hosts.keys()].indexOf(name) + 1;
  return place * PROCESSES_PER_HOST + life;
}
