import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { isOfProject, TYPESCRIPT, withoutTypes } from "./to-javascript.ts";

/** A line of a stack: `at f (file:///folder/x.ts:4:7)`, `at /folder/x.cjs:4:7`. */
const FRAME = /^ +at (?:.*\()?(?:async )?(file:\/\/\S+?|\/.+?|[A-Za-z]:\\.+?)(?:\?[^:]*)?:(\d+):(\d+)\)?$/;
const INLINE_MAP = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/;
const HARNESS = fileURLToPath(new URL("../../", import.meta.url));

interface Place {
  readonly path: string;
  readonly line: number;
}

/** Where code of the user's failed, as a line of the file that the user wrote. Undefined if the error does not say. */
export function placeOfError(error: unknown): Place | undefined {
  try {
    return error instanceof Error ? placeIn(error.stack ?? "") : undefined;
  } catch {
    // Strangers' errors may have anything for a stack, and the files that it names need not be there.
    return undefined;
  }
}

function placeIn(stack: string): Place | undefined {
  for (const frame of stack.split("\n")) {
    const [, place = "", line, column] = FRAME.exec(frame) ?? [];
    const path = place.startsWith("file:") ? fileURLToPath(place) : place;
    if (path === "" || !isOfProject(path) || path.startsWith(HARNESS)) continue;
    return { path, line: lineAsWritten(path, Number(line), Number(column)) };
  }
  return undefined;
}

/** The lines of a file that had to be rewritten are others. */
function lineAsWritten(path: string, line: number, column: number): number {
  if (!TYPESCRIPT.test(path)) return line;
  const text = readFileSync(path, "utf8");
  if (!withoutTypes(text).isRewritten) return line;
  const [, map] = INLINE_MAP.exec(stripTypeScriptTypes(text, { mode: "transform", sourceMap: true })) ?? [];
  if (map === undefined) return line;
  const payload = JSON.parse(Buffer.from(map, "base64").toString()) as SourceMapPayload;
  const entry = new SourceMap(payload).findEntry(line - 1, column - 1);
  return "originalLine" in entry ? entry.originalLine + 1 : line;
}
