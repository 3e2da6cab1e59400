/** A class with a decorator before it, as frameworks have: `@Injectable() export class`. Node has no decorators. */
const DECORATED =
  /^[ \t]*@[\w$.]+(?:\((?:[^()]|\([^()]*\))*\))?\s+(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\b/m;
const COMMENT = /\/\*[^]*?\*\/|\/\/.*$/gm;

/** A file with a decorator, and the line of the first. */
export interface Decorated {
  readonly path: string;
  readonly line: number;
}

let last: Decorated | undefined;

/** Notes whether a file that is about to be loaded has decorators: Node does not say what it was that it could not read. */
export function noteDecorators(text: string, path: string): void {
  if (!text.includes("@")) return;
  const code = text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, " "));
  const { index, 0: found = "" } = DECORATED.exec(code) ?? {};
  if (index !== undefined) {
    const before = code.slice(0, index + found.indexOf("@"));
    last = { path, line: before.split("\n").length };
  }
}

/** The last of the files that were loaded which has decorators. It is forgotten then. */
export function lastDecorated(): Decorated | undefined {
  const found = last;
  last = undefined;
  return found;
}
