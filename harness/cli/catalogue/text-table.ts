import { alignedColumns } from "../../../reports/aligned-columns.ts";

/** Rows of cells as text; no line ends with a space. @param heading the first line */
export function textTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return alignedColumns([heading, ...rows])
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
