import { readdirSync, readFileSync } from "node:fs";
import { identify, killExactly } from "./process-identity.ts";

/** The variable in the environment of a client process: what it starts inherits it, in whatever session or group that is. */
const VARIABLE = "LOCKSTORM_CLIENT";

/** How often to look again: what is being killed may have started another process just before. */
const MOST_PASSES = 5;

/** A variable by which everything that a client starts is found again. */
export function clientMark(runId: string, client: string): Readonly<Record<string, string>> {
  return { [VARIABLE]: `${runId}/${client}` };
}

/**
 * Ends the processes that a client of a run, or any of its clients, has started and that left its process group. On Linux
 * only, and not those that have replaced their environment.
 * @returns how many there were
 */
export function killMarked(runId: string, client?: string): number {
  const mark = `${VARIABLE}=${runId}/`;
  const isMarked = (variable: string): boolean =>
    client === undefined ? variable.startsWith(mark) : variable === `${mark}${client}`;
  // One that is killed is there for a moment longer.
  const killed = new Set<number>();
  for (let pass = 0, before = -1; pass < MOST_PASSES && killed.size > before; pass += 1) {
    before = killed.size;
    for (const pid of processes()) if (environmentOf(pid).some(isMarked) && killNow(pid)) killed.add(pid);
  }
  return killed.size;
}

function processes(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** Empty for a process that has ended, and for one of another user. */
function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return [];
  }
}

function killNow(pid: number): boolean {
  const identity = identify(pid);
  return identity !== undefined && killExactly(identity);
}
