import { countOf, isAsExpected, type MeasuredExperiment, type PropertyCount } from "../../harness/core/measurement.ts";
import type { Property } from "../../harness/core/verdict.ts";

/** One table of an experiment: a property by the experiment's two parameters. */
export interface ShareGrid {
  readonly property: Property;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly name: string; readonly cells: readonly (PropertyCount | undefined)[] }[];
}

/** A table for each property on which any run decided, rows and columns in the order of the cells. */
export function shareGrids({ cells, properties }: MeasuredExperiment): readonly ShareGrid[] {
  const columns = [...new Set(cells.map(({ column }) => column))];
  const rows = [...new Set(cells.map(({ row }) => row))];
  return properties
    .map((property) => ({
      property,
      columns,
      rows: rows.map((name) => ({
        name,
        cells: columns.map((column) => {
          const cell = cells.find((each) => each.row === name && each.column === column);
          return cell === undefined ? undefined : countOf(cell, property);
        }),
      })),
    }))
    .map((grid) => ({ ...grid, rows: grid.rows.filter((row) => row.cells.some((count) => (count?.judged ?? 0) > 0)) }))
    .filter((grid) => grid.rows.length > 0);
}

/** `3/30`: violated in 3 of 30 runs; `-` where no run decided; empty where there is no such cell. `!`: unexpected. */
export function countInShort(count: PropertyCount | undefined): string {
  if (count === undefined) return "";
  const { violated, judged } = count;
  return `${judged === 0 ? "-" : `${violated}/${judged}`}${isAsExpected(count) ? "" : " !"}`;
}
