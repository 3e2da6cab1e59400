import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";

/** The PATH and the folders of administrators' programs, which root's PATH lacks after `su`. */
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
  /** Resolves when it has ended with exit code 0; rejects otherwise, with its error message. */
  readonly success: Promise<void>;
  kill(): void;
}

/** Runs a program of the host without a terminal for questions, here or in the folder `cwd`. */
export function runProgram(
  program: string,
  options: readonly string[],
  { cwd = process.cwd() }: { readonly cwd?: string } = {},
): HostProgram {
  const env = { ...HOST_ENVIRONMENT, DEBIAN_FRONTEND: "noninteractive" };
  const child = spawn(program, options, { stdio: ["ignore", "pipe", "pipe"], env, cwd });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-4000);
  });
  const success = once(child, "close").then(([code]: unknown[]) => {
    if (code !== 0) throw new Error(gist(complaints) ?? `${program} ends with exit code ${String(code)}`);
  });
  // Callers learn of the error by awaiting it; nobody has to.
  success.catch(() => {});
  return { output: child.stdout, success, kill: () => void child.kill() };
}

/** The line that matters: apt and debootstrap mark it with `E:`, and later lines are often a footnote, as npm's are. */
function gist(complaints: string): string | undefined {
  const lines = complaints
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.includes("A complete log of this run"));
  return lines.findLast((line) => line.startsWith("E:")) ?? lines.at(-1);
}
