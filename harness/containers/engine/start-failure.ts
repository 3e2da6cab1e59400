import { readFile } from "node:fs/promises";
import type Dockerode from "dockerode";
import { HarnessError, UserError } from "../../core/errors.ts";

/**
 * Why a server ended during its start, in its own last words.
 * @param logFile its log, which has its output from after it had read its configuration
 * @param badConfiguration matches its output when its configuration is the cause
 */
export async function startFailure(
  name: string,
  container: Dockerode.Container,
  { logFile, badConfiguration }: { readonly logFile: string; readonly badConfiguration: RegExp },
): Promise<Error> {
  const printed = unframe(await container.logs({ stdout: true, stderr: true, tail: 8, follow: false }));
  const logged = await readFile(logFile, "utf8").catch(() => "");
  const words = lastLines(`${printed}\n${logged}`, 3);
  const what = `${name} did not start: ${words === "" ? "it printed nothing" : words}`;
  return badConfiguration.test(printed + logged)
    ? new UserError(what, "correct `config` in the plan's topology")
    : new HarnessError(what);
}

/**
 * The text of a container's output, without the engine's frames: 8 bytes before each piece, the last 4 of them its
 * length.
 */
function unframe(frames: Buffer): string {
  const pieces: string[] = [];
  for (let at = 0; at + 8 <= frames.length;) {
    const end = at + 8 + frames.readUInt32BE(at + 4);
    pieces.push(frames.toString("utf8", at + 8, end));
    at = end;
  }
  return pieces.join("");
}

/** The last lines joined into one, each without process, role, date and level: `1:M 21 Nov 2026 09:32:57.612 # `. */
function lastLines(text: string, count: number): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^\d+:\w \d+ \w+ \d+ [\d:.]+ [.*#-] /, "").trim())
    .filter((line) => line !== "")
    .slice(-count)
    .join(" ");
}
