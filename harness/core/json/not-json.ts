/** What the hints of every kind of line say. */
export const ONE_A_LINE = "write each object of the history on one line of its own";

/** Numbers and values that other languages write into what should be JSON. */
const FOREIGN_VALUE = /(?<![\w.])(?:-?(?:NaN|nan|Infinity|inf)|undefined|None|True|False)(?!\w)/;

/**
 * What a line that is not JSON looks like: a part of a document of several lines, an object with something that JSON does not
 * have, an incomplete object, or neither.
 */
export function notJson(text: string): { readonly problem: string; readonly hint: string } {
  if (/^[ \t]*[{[][ \t\r]*$/.test(text)) {
    return {
      problem: "not JSON on one line (is it a JSON document of several lines?)",
      hint: `${ONE_A_LINE}, as \`jq -c\` does${text.startsWith("[") ? ": `jq -c '.[]'` for an array" : ""}`,
    };
  }
  if (!/^[ \t]*\{/.test(text)) {
    return { problem: "not JSON", hint: "a history has one JSON object on each line: see docs/history.md" };
  }
  const control = controlCharacterIn(text);
  if (control !== undefined) {
    const code = control.code.toString(16).padStart(4, "0");
    return {
      problem: `not JSON: the control character U+${code.toUpperCase()} in column ${control.column}`,
      hint: `write it as \\u${code} within a string`,
    };
  }
  const foreign = FOREIGN_VALUE.exec(withoutStrings(text))?.[0];
  if (foreign !== undefined) {
    return { problem: `not JSON: it has no value ${foreign}`, hint: "leave the field out, or give a value of JSON" };
  }
  return {
    problem: "not JSON (is the line truncated?)",
    hint: "remove the incomplete line, or record the history again",
  };
}

/** The first control character that JSON forbids there: within a string any, elsewhere all but white space. */
function controlCharacterIn(text: string): { readonly code: number; readonly column: number } | undefined {
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isSpace = code === 0x09 || code === 0x0d;
    if (code < 0x20 && (isInString || !isSpace)) return { code, column: at + 1 };
    if (isInString && text[at] === "\\") at += 1;
    else if (text[at] === '"') isInString = !isInString;
  }
  return undefined;
}

function withoutStrings(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"?/g, '""');
}
