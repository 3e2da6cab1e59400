/**
 * The first field that an object of a JSON text gives twice, if one does. JSON leaves open which of the two counts, and its readers
 * differ, so nobody knows what such a text says.
 *
 * @param json what the text says to a reader to whom the last one counts
 */
export function fieldGivenTwice(text: string, json: unknown): string | undefined {
  // Each field has a quote and a colon, so where there are no more of these than fields, none was given twice.
  return colonsAfterQuotes(text) === fieldsIn(json) ? undefined : firstGivenTwice(text);
}

function colonsAfterQuotes(text: string): number {
  let found = 0;
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    if (isBeforeColon(text, quote + 1)) found += 1;
  }
  return found;
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (" \t\r\n".includes(text.charAt(at)) && at < text.length) at += 1;
  return text.charAt(at) === ":";
}

function fieldsIn(json: unknown): number {
  let fields = 0;
  // Not by recursion: JSON may be nested more deeply than functions can call each other.
  const left: unknown[] = [json];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== "object" || value === null) continue;
    const values = Object.values(value);
    if (!Array.isArray(value)) fields += values.length;
    for (const inner of values) if (typeof inner === "object") left.push(inner);
  }
  return fields;
}

function firstGivenTwice(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "{" || char === "[") open.push(new Set());
    else if (char === "}" || char === "]") open.pop();
    else if (char === '"') {
      const end = endOfString(text, at);
      if (isBeforeColon(text, end + 1)) {
        const name = JSON.parse(text.slice(at, end + 1)) as string;
        const given = open.at(-1);
        if (given?.has(name) === true) return name;
        given?.add(name);
      }
      at = end;
    }
  }
  return undefined;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
  return at;
}
