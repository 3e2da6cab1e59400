import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem, type } from "node:os";

/** The machine on which figures were measured: no figure means anything without it. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Processes that wanted a core, on average over the last minute. */
  readonly load: number;
}

export function machine(): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown processor",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: systemName(),
    node: process.version,
    load: loadavg()[0] ?? 0,
  };
}

/** One line. */
export function describeMachine({ cores, processor, memoryGb, system, node, load }: Machine): string {
  return `${cores} cores (${processor}), ${memoryGb} GB, ${system}, Node ${node}, load ${load.toFixed(1)}`;
}

/** The name of the distribution, where there is one. */
function systemName(): string {
  try {
    const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
    return name ?? type();
  } catch {
    return type();
  }
}
