/**
 * A text as a shell reads it as one word, so that a printed command can be copied whatever a file is called. What no shell
 * gives a meaning stands as it is, the separators of Windows among it.
 */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const PLAIN = /^[\p{L}\p{N}._/\\:@%+,=-][\p{L}\p{N}._/\\:@%+,=~-]*$/u;

/** The command that runs a plan again. Pages use it in a browser too, so this file imports nothing. */
export function replayCommandOf(planFile: string): string {
  return `npx lockstorm replay ${shellWord(planFile)}`;
}
