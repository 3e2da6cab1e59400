import type { Verdict } from "../../core/verdict.ts";
import { inFigures } from "../../core/words/in-figures.ts";
import { undecidedReasons } from "../notes/run-notes.ts";

/** What fits on a line of a terminal or two. */
const MOST_LETTERS = 200;

/** Reasons of one run that are told one by one. */
const MOST_REASONS = 3;

/** The verdict of one run on one line; for a run that decides nothing, with the first reason as it is. */
export function outcomeWords(verdict: Verdict): string {
  if (verdict.verdict !== "unknown") return verdict.verdict;
  const [reason = ""] = undecidedReasons(verdict);
  return `unknown: ${onOneLine(reason)}`;
}

/**
 * Why a run decides nothing, on one line: each reason as it is, up to three. The first may be the run's own, such as its time
 * limit, and another one may name what kept it from an end.
 */
export function reasonsInWords(verdict: Verdict): string {
  const reasons = undecidedReasons(verdict).map(onOneLine);
  const more = reasons.length - MOST_REASONS;
  const rest = more > 0 ? [`and ${inFigures(more)} more ${more === 1 ? "reason" : "reasons"}`] : [];
  return [...reasons.slice(0, MOST_REASONS), ...rest].join("; ");
}

function onOneLine(reason: string): string {
  const line = reason.replaceAll(/\s+/gu, " ").trim();
  return line.length <= MOST_LETTERS ? line : `${line.slice(0, MOST_LETTERS - 1)}…`;
}
