/**
 * Rows of cells as lines of text, each column as wide as its widest cell, two spaces between columns. Cells are
 * left-aligned, or right-aligned in the columns that `isRight` names (counted from 0). All lines are as long as all
 * columns together.
 */
export function alignedColumns(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean = () => false,
): readonly string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row.map((text, at) => (isRight(at) ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0))).join("  "),
  );
}
