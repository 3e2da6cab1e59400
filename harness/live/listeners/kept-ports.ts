import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";

/** Ports below need no privilege and are seldom anybody's. */
const FIRST = 10_000;
/** With fewer ports than this to choose from, the kernel chooses. */
const ENOUGH = 1000;

/** Those of listeners of this process, also while they are closed. */
const kept = new Set<number>();

/**
 * A port for a listener that closes and opens again: not one of those that the kernel gives to connections, which would take it
 * while it is closed, nor one of another listener of this process. 0 where there are no such ports: the kernel chooses then.
 */
export function keepPort(): number {
  const end = firstOfConnections();
  if (end - FIRST < ENOUGH + kept.size) return 0;
  for (;;) {
    const port = randomInt(FIRST, end);
    if (kept.has(port)) continue;
    kept.add(port);
    return port;
  }
}

/** Nobody opens this port again. */
export function dropPort(port: number): void {
  kept.delete(port);
}

/** ip(7), `ip_local_port_range`. */
function firstOfConnections(): number {
  try {
    return Number.parseInt(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8"), 10);
  } catch {
    return 0;
  }
}
