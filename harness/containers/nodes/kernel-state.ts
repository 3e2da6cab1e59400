import { readFileSync } from "node:fs";
import type { ProcessState } from "../../core/system.ts";

/** The kernel's state of a process on this machine: `T` is stopped, `Z` and absence are dead. */
export function kernelState(pid: number): ProcessState {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const letter = stat.charAt(stat.lastIndexOf(")") + 2);
    if (letter === "T" || letter === "t") return "paused";
    return letter === "Z" || letter === "X" ? "dead" : "running";
  } catch {
    return "dead";
  }
}
