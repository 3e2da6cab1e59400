import { isAbsolute, relative, sep } from "node:path";
import { replayCommandOf } from "./shell-word.ts";

/**
 * The command that runs a plan again. A plan in the working directory is named from there, so that the command holds in
 * another copy of it too, as where a CI's results are looked at.
 */
export function replayFromHere(planFile: string): string {
  return replayCommandOf(fromHere(planFile));
}

function fromHere(file: string): string {
  if (!isAbsolute(file)) return file;
  const within = relative(process.cwd(), file);
  const isOutside = isAbsolute(within) || within === ".." || within.startsWith(`..${sep}`);
  return isOutside || within.startsWith("-") ? file : within;
}
