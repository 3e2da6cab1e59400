import type { z } from "zod";

/** The part of a line that an error repeats. */
export const SHOWN = 200;
/** A message is of the kind that it names in one of these fields. */
const NAMING = new Set(["event", "closed", "ready"]);

/** The first line of JSON that is laid out over several. */
const OPENING = /^\s*[{[]\s*$/;

type Issue = z.core.$ZodIssue;

/**
 * What is wrong with a line that is none of the messages of `schema`: the field of the message that was meant, if that can be
 * told, and the line.
 */
export function wrongIn(schema: z.ZodType, line: string): string {
  const shown = line.slice(0, SHOWN);
  const content = contentOf(line);
  if (content === undefined) return OPENING.test(line) ? `${shown} (a message is one line, not several)` : shown;
  const [union] = schema.safeParse(content).error?.issues ?? [];
  const kinds = union?.code === "invalid_union" ? union.errors : [];
  const meant = kinds.find((issues) => isMeant(issues, content))?.[0];
  if (meant === undefined) return shown;
  const field = meant.path.length === 0 ? "" : `\`${meant.path.join(".")}\`: `;
  return `${field}${meant.message}, in ${shown}`;
}

function isMeant(issues: readonly Issue[], content: object): boolean {
  return issues.every(({ path: [field] }) => {
    if (NAMING.has(String(field))) return false;
    return field !== "id" || "id" in content || "ok" in content;
  });
}

function contentOf(line: string): object | undefined {
  try {
    const content: unknown = JSON.parse(line);
    return typeof content === "object" && content !== null ? content : undefined;
  } catch {
    return undefined;
  }
}
