import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { leadsGroup } from "../nodes/process-group.ts";

/**
 * Identifies a process beyond its number, which the kernel reuses: a process with the same number and another start
 * time is another process.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own terms: an opaque string, equal only for the same process. */
  readonly start: string;
}

/** A process and where it runs, so that others who share an engine or a disk do not take it for dead. */
export interface Owner extends ProcessIdentity {
  readonly hostname: string;
  /** The boot of the machine. */
  readonly boot: string;
  /** The namespace in which the number counts. */
  readonly namespace: string;
}

/** The identity of a living process; undefined when no process has that number, or only a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const start = process.platform === "linux" ? startFromProc(pid) : startFromPs(pid);
  return start === undefined ? undefined : { pid, start };
}

/** True while exactly this process lives. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return identify(pid)?.start === start;
}

/**
 * Ends the process by SIGKILL if it is still the same one, with its process group if it leads one. Returns whether it
 * was.
 */
export function killExactly(identity: ProcessIdentity): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(leadsGroup(identity.pid) ? -identity.pid : identity.pid, "SIGKILL");
    return true;
  } catch {
    // It ended between the check and the signal, or belongs to another user, who has to end it.
    return false;
  }
}

/** This process, as an owner. */
export function thisProcess(): Owner {
  const identity = identify(process.pid);
  if (identity === undefined) throw new Error("a process must be able to identify itself");
  return { ...identity, ...place() };
}

/**
 * `foreign`: it runs, or ran, where its number means nothing here: on another machine or in another container. After a
 * reboot every earlier owner is dead.
 */
export function ownerState(owner: Owner): "alive" | "dead" | "foreign" {
  const here = place();
  if (owner.hostname !== here.hostname) return "foreign";
  if (owner.boot !== here.boot) return "dead";
  if (owner.namespace !== here.namespace) return "foreign";
  return isAlive(owner) ? "alive" : "dead";
}

function place(): Omit<Owner, keyof ProcessIdentity> {
  if (process.platform !== "linux") return { hostname: hostname(), boot: "-", namespace: "-" };
  return {
    hostname: hostname(),
    boot: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    namespace: readlinkSync("/proc/self/ns/pid"),
  };
}

/**
 * proc_pid_stat(5): field 3 is the state, field 22 the start in clock ticks since boot. The name before them may
 * contain any character.
 */
function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startFromPs(pid: number): string | undefined {
  try {
    const started = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return started === "" ? undefined : started.replaceAll(/\s+/g, "-");
  } catch {
    return undefined;
  }
}
