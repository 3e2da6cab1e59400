import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";

/** The PATH, and where administrators' programs are: root's PATH lacks them when root came by `su`. */
const SEARCH_PATH = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"].join(delimiter);

/** The environment for programs of the host. */
export const HOST_ENVIRONMENT = { ...process.env, PATH: SEARCH_PATH };

/** Whether this machine has a program that we may run. */
export function isInstalled(program: string): boolean {
  return SEARCH_PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A running program: its output, and how it ends. */
export interface HostProgram {
  readonly output: Readable;
  /** Resolves when it has ended with exit code 0; rejects otherwise, with what it complained about. */
  readonly success: Promise<void>;
  kill(): void;
}

/** Runs a program of the host without a terminal to ask on. */
export function runProgram(program: string, ...options: readonly string[]): HostProgram {
  const env = { ...HOST_ENVIRONMENT, DEBIAN_FRONTEND: "noninteractive" };
  const child = spawn(program, options, { stdio: ["ignore", "pipe", "pipe"], env });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-4000);
  });
  const success = once(child, "close").then(([code]: unknown[]) => {
    if (code !== 0) throw new Error(gist(complaints) ?? `${program} ends with exit code ${String(code)}`);
  });
  // Whoever is interested learns of it by awaiting; nobody need be.
  success.catch(() => {});
  return { output: child.stdout, success, kill: () => void child.kill() };
}

/** The line that matters: apt and debootstrap mark it with `E:`, and what comes after is often a footnote. */
function gist(complaints: string): string | undefined {
  const lines = complaints.split("\n").filter((line) => line.trim() !== "");
  return lines.findLast((line) => line.startsWith("E:")) ?? lines.at(-1);
}
