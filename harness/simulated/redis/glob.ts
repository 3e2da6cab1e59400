/**
 * Matches a glob pattern the way KEYS and PSUBSCRIBE do: `*`, `?`, `[a-c]`, `[^a]`, `\` escapes. Pattern and text are
 * binary strings. Nothing but the empty pattern matches the empty text.
 */
export function globMatches(pattern: string, text: string): boolean {
  return match(pattern, 0, text, 0, { skipLonger: false });
}

/** As `globMatches`, but `*` matches the empty text too: for KEYS and SCAN. */
export function globMatchesKey(pattern: string, key: string): boolean {
  return pattern === "*" || globMatches(pattern, key);
}

/**
 * Set when a star has already tried every suffix, so that outer stars need not try shorter ones: this keeps matching
 * polynomial.
 */
interface Progress {
  skipLonger: boolean;
}

function match(pattern: string, patternStart: number, text: string, textStart: number, progress: Progress): boolean {
  let p = patternStart;
  let t = textStart;
  while (p < pattern.length && t < text.length) {
    const symbol = pattern[p];
    if (symbol === "*") {
      while (pattern[p + 1] === "*") p += 1;
      if (p + 1 >= pattern.length) return true;
      for (; t < text.length; t += 1) {
        if (match(pattern, p + 1, text, t, progress)) return true;
        if (progress.skipLonger) return false;
      }
      progress.skipLonger = true;
      return false;
    }
    if (symbol === "[") {
      const end = matchClass(pattern, p, text.charCodeAt(t));
      if (end < 0) return false;
      p = end;
    } else if (symbol === "\\" && p + 1 < pattern.length) {
      p += 1;
      if (pattern[p] !== text[t]) return false;
    } else if (symbol !== "?" && symbol !== text[t]) return false;
    t += 1;
    p += 1;
    if (t >= text.length) {
      while (pattern[p] === "*") p += 1;
      break;
    }
  }
  return p >= pattern.length && t >= text.length;
}

/** Index of the class's closing bracket if `code` belongs to it, else -1. An unclosed class ends with the pattern. */
function matchClass(pattern: string, open: number, code: number): number {
  let p = open + 1;
  const negated = pattern[p] === "^";
  if (negated) p += 1;
  let matched = false;
  for (; ; p += 1) {
    if (p >= pattern.length) {
      p = pattern.length - 1;
      break;
    }
    if (pattern[p] === "\\" && p + 1 < pattern.length) {
      p += 1;
      if (pattern.charCodeAt(p) === code) matched = true;
    } else if (pattern[p] === "]") break;
    else if (pattern.length - p >= 3 && pattern[p + 1] === "-") {
      const a = signed(pattern.charCodeAt(p));
      const b = signed(pattern.charCodeAt(p + 2));
      if (signed(code) >= Math.min(a, b) && signed(code) <= Math.max(a, b)) matched = true;
      p += 2;
    } else if (pattern.charCodeAt(p) === code) matched = true;
  }
  return matched === negated ? -1 : p;
}

/** Ranges compare bytes as C's signed characters. */
function signed(byte: number): number {
  return byte > 127 ? byte - 256 : byte;
}
