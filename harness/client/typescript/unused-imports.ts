/** An import with names: what is imported, and from where. It never contains a quote before its end. */
const IMPORT = /^([ \t]*import\s+)([^'"`;=()]+?)(\s+from\s*(?:'[^'\n]*'|"[^"\n]*")(?:\s*with\s*\{[^}]*\})?[ \t]*;?)/gm;

/** One name, as it is called here, with the comma after it. */
const NAME = /(?:(?:[\w$]+|\*)\s+as\s+)?([\w$]+)(\s*,)?/g;

/** Comments that begin a line, where they stand for a type more often than anywhere else. */
const COMMENT = /^[ \t]*(?:\/\*\*[^]*?\*\/|\/\/.*$)/gm;

/**
 * Code without the imports of names that it does not mention anywhere else: in TypeScript, those of types. Everything else stays
 * where it is. A name that only a comment at the end of a line, or a text, mentions counts as used.
 */
export function withoutUnusedImports(code: string): string {
  const rest = code.replace(IMPORT, "").replace(COMMENT, "");
  const isUnused = (name: string): boolean =>
    !new RegExp(`(?<![\\w$])${name.replaceAll("$", String.raw`\$`)}(?![\\w$])`).test(rest);
  return code.replace(IMPORT, (whole, head: string, clause: string, tail: string) => {
    const names = [...clause.matchAll(NAME)].map(([, name = ""]) => name);
    if (names.every(isUnused)) return blank(whole);
    // A namespace beside a name cannot go alone.
    if (!names.some(isUnused) || clause.includes("*")) return whole;
    return head + clause.replace(NAME, (one: string, name: string) => (isUnused(name) ? blank(one) : one)) + tail;
  });
}

/** Only the line breaks of a text. */
function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}
