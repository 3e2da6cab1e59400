import { isAbsolute, relative, sep } from "node:path";

/**
 * A text as a shell reads it as one word, so that a printed command can be copied whatever a file is called. What no shell
 * gives a meaning stands as it is, the separators of Windows among it.
 */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const PLAIN = /^[\p{L}\p{N}._/\\:@%+,=-][\p{L}\p{N}._/\\:@%+,=~-]*$/u;

/**
 * The command that runs a plan again. A plan in the working directory is named from there, so that the command holds in
 * another copy of it too, as where a CI's results are looked at.
 */
export function replayCommandOf(planFile: string): string {
  return `npx lockstorm replay ${shellWord(fromHere(planFile))}`;
}

function fromHere(file: string): string {
  if (!isAbsolute(file)) return file;
  const within = relative(process.cwd(), file);
  const isOutside = isAbsolute(within) || within === ".." || within.startsWith(`..${sep}`);
  return isOutside || within.startsWith("-") ? file : within;
}
