import { printable } from "../../harness/core/printable.ts";
import type { SummaryCell, SummaryChanges } from "./summary.ts";
import { TextStyle, type TextOptions } from "../text-style.ts";
import { count } from "../wording.ts";

/**
 * Compares the cells of a campaign with those of an earlier one. Cells that were not searched both times are left out.
 */
export function changesSince(former: readonly SummaryCell[], now: readonly SummaryCell[]): SummaryChanges {
  const before = new Map(former.map((cell) => [nameOf(cell), cell.found]));
  const pick = (isOne: (found: SummaryCell["found"], then: SummaryCell["found"]) => boolean) =>
    now.flatMap((cell) => {
      const then = before.get(nameOf(cell));
      return then !== undefined && isOne(cell.found, then) ? [{ lock: cell.lock, fault: cell.fault }] : [];
    });
  return {
    new: pick((found, then) => found === "broken" && then !== "broken"),
    known: pick((found, then) => found === "broken" && then === "broken"),
    fixed: pick((found, then) => (found === "holds" || found === "outlived") && then === "broken"),
  };
}

/** The changes in words. Known violations are only counted. Ends with a line feed. */
export function renderChanges(changes: SummaryChanges, options: TextOptions): string {
  const style = new TextStyle(options);
  const lines = [
    style.paint("Compared with the former results", "bold"),
    ...list("new", changes.new, style),
    ...list("fixed", changes.fixed, style),
    `  known: ${count(changes.known.length, "cell")} broken as before`,
  ];
  return `${lines.join("\n").replaceAll("\u{a0}", " ")}\n`;
}

/** The same, a line for each kind of change, for other reports. */
export function changeLines({ new: fresh, known, fixed }: SummaryChanges): readonly string[] {
  const names = (cells: SummaryChanges["new"]): string => cells.map(nameOf).join(", ") || "none";
  return [`new: ${names(fresh)}`, `fixed: ${names(fixed)}`, `known: ${count(known.length, "cell")} broken as before`];
}

function list(word: string, cells: SummaryChanges["new"], style: TextStyle): readonly string[] {
  if (cells.length === 0) return [`  ${word}: none`];
  return cells.flatMap((cell) => style.hanging({ text: `  ${word}:` }, printable(nameOf(cell)), word.length + 4));
}

function nameOf({ lock, fault }: Pick<SummaryCell, "lock" | "fault">): string {
  return `${lock} under ${fault}`;
}
