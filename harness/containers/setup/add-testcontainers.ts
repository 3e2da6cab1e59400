import { messageOf, UserError } from "../../core/errors.ts";
import { findTestcontainers, loadTestcontainers, TESTCONTAINERS } from "../engine/load-testcontainers.ts";
import { runProgram } from "./host-programs.ts";
import { addCommand } from "./package-manager.ts";

/**
 * Adds testcontainers to the project that the program was started in, unless it is there.
 * @throws UserError when it cannot be installed, or an installed version does not fit
 */
export async function addTestcontainers(onProgress: (line: string) => void): Promise<"present" | "added"> {
  if (findTestcontainers() !== undefined) {
    loadTestcontainers();
    return "present";
  }
  const { folder, words } = addCommand(process.cwd(), TESTCONTAINERS);
  const command = words.join(" ");
  onProgress(`testcontainers is not installed; in ${folder}: ${command}`);
  const [program = "", ...args] = words;
  try {
    const adding = runProgram(program, args, { cwd: folder });
    // Unread, it would fill the pipe and stop.
    adding.output.resume();
    await adding.success;
  } catch (error) {
    throw new UserError(`\`${command}\` fails in ${folder}: ${messageOf(error)}`, "run it there to see why", {
      cause: error,
    });
  }
  loadTestcontainers();
  return "added";
}
