import { existsSync, readFileSync } from "node:fs";
import { messageOf, UserError } from "../../core/errors.ts";
import { runProgram } from "./host-programs.ts";

/** Installs packages of the host's distribution. */
export type Install = (packages: readonly string[]) => Promise<void>;

/**
 * How to install packages on this machine; undefined unless we are root on Debian, Ubuntu or a distribution based on
 * them.
 */
export function packageInstaller(onProgress: (line: string) => void): Install | undefined {
  if (process.getuid?.() !== 0 || !isDebianKin(osRelease())) return undefined;
  return async (packages) => {
    onProgress(`installing ${packages.join(", ")} (apt-get)`);
    await aptGet("update", "-q");
    await aptGet("install", "-qy", "--no-install-recommends", ...packages);
  };
}

/** Whether an os-release(5) text names Debian or a distribution that says it is like Debian. */
export function isDebianKin(text: string): boolean {
  const words = [...text.matchAll(/^(?:ID|ID_LIKE)=(.*)$/gm)].flatMap((match) =>
    (match[1] ?? "").replaceAll(/["']/g, "").split(" "),
  );
  return words.includes("debian") || words.includes("ubuntu");
}

function osRelease(): string {
  return existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
}

async function aptGet(...options: readonly string[]): Promise<void> {
  const apt = runProgram("apt-get", options);
  // Unread, it would fill the pipe and stop.
  apt.output.resume();
  try {
    await apt.success;
  } catch (error) {
    throw new UserError(
      `apt-get ${options[0]}: ${messageOf(error)}`,
      "see that this machine reaches its package mirror",
      { cause: error },
    );
  }
}
