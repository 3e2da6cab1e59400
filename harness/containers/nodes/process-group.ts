import { readdirSync, readFileSync } from "node:fs";
import type { ProcessState } from "../../core/system.ts";

/** Sends a signal to all processes of the group that `leader` leads. Nothing happens when there is none. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // All of them have ended.
  }
}

/**
 * The state of a process group, as the kernel says: `dead` when nobody in it is alive, `paused` when everybody alive
 * is stopped. A zombie is dead.
 */
export function groupState(leader: number): ProcessState {
  const letters = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => memberState(pid, leader) ?? [])
    .filter((letter) => letter !== "Z" && letter !== "X");
  if (letters.length === 0) return "dead";
  return letters.every((letter) => letter === "T" || letter === "t") ? "paused" : "running";
}

/** Whether this process leads a process group. False where the kernel does not say. */
export function leadsGroup(pid: number): boolean {
  return statOf(String(pid))?.group === pid;
}

/** The children of a process, as far as the kernel says. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const words = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return words === "" ? [] : words.split(" ").map(Number);
  } catch {
    return [];
  }
}

function memberState(pid: string, leader: number): string | undefined {
  const stat = statOf(pid);
  return stat?.group === leader ? stat.state : undefined;
}

/** proc_pid_stat(5): after the name, which may contain any character, come the state, the parent and the group. */
function statOf(pid: string): { readonly state: string; readonly group: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, group: Number(group) };
  } catch {
    return undefined;
  }
}
