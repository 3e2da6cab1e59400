import type { Verdict } from "../../core/verdict.ts";
import { undecidedReasons } from "../notes/run-notes.ts";

/** What fits on a line of a terminal or two. */
const MOST_LETTERS = 200;

/** The verdict of one run on one line; for a run that decides nothing, with the first reason as it is. */
export function outcomeWords(verdict: Verdict): string {
  if (verdict.verdict !== "unknown") return verdict.verdict;
  const [reason = ""] = undecidedReasons(verdict);
  const line = reason.replaceAll(/\s+/gu, " ").trim();
  return `unknown: ${line.length <= MOST_LETTERS ? line : `${line.slice(0, MOST_LETTERS - 1)}…`}`;
}
