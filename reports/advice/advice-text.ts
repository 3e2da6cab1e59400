import { inFigures } from "../../harness/core/words/in-figures.ts";
import { alignedColumns } from "../aligned-columns.ts";
import { glyphs, TextStyle, type TextOptions } from "../text-style.ts";
import { adviceLine, CHOICE_HEAD, choiceRow, holdsLine, formatMilliseconds } from "./advice-words.ts";
import type { TtlAdvice } from "./ttl-advice.ts";

const BARS = 14;
const LABEL = 12;

/** The advice for a terminal: the lengths of the holds as bars with the TTLs between them, and the table. */
export function renderAdviceText(advice: TtlAdvice, options: TextOptions): string {
  const style = new TextStyle(options);
  const table = alignedColumns([CHOICE_HEAD, ...advice.choices.map(choiceRow)]).map((line) => `  ${line}`.trimEnd());
  const lines = [
    ...style.paragraph(holdsLine(advice), 0),
    "",
    ...bars(advice, style),
    "",
    ...table,
    "",
    ...style.paragraph(adviceLine(advice), 0).map((line) => style.paint(line, "bold")),
    ...advice.cautions.flatMap((caution) => ["", ...style.paragraph(caution, 2)]),
  ];
  return `${lines.join("\n").replaceAll("\u{a0}", " ")}\n`;
}

/** Holds by length, on a logarithmic scale that is cut at each TTL: the bars beyond a TTL are its overruns. */
function bars({ durationsMs, choices, longestMs }: TtlAdvice, style: TextStyle): readonly string[] {
  const { lease, overrun, rule } = glyphs(style.unicode);
  const counted = countUpTo(durationsMs, limitsOf(durationsMs, longestMs, choices));
  const most = Math.max(...counted.map(({ count }) => count));
  const room = style.width - LABEL - 12;
  const rows = counted.map(({ limit, count }) => {
    const beyond = choices.some(({ ttlMs }) => ttlMs < limit);
    const length = count === 0 ? 0 : Math.max(1, Math.round((room * count) / most));
    const bar = (beyond ? overrun : lease).repeat(length);
    return {
      at: limit,
      text: `${formatMilliseconds(limit).padStart(LABEL)} ${bar} ${count === 0 ? "" : inFigures(count)}`.trimEnd(),
    };
  });
  const cut = new Set(counted.map(({ limit }) => limit));
  const ttls = choices.map(({ ttlMs, rule: name }) => ({
    at: ttlMs,
    text: style.paint(
      `${(cut.has(ttlMs) ? "" : formatMilliseconds(ttlMs)).padStart(LABEL)} ${rule.repeat(6)} TTL by ${name}`,
      "cyan",
    ),
  }));
  // A bar that ends at a TTL comes first, because its holds do not outlive that TTL, and has its length.
  return [...rows, ...ttls].toSorted((one, other) => one.at - other.at).map(({ text }) => text);
}

/** The upper ends of the bars, ascending. */
function limitsOf(durationsMs: readonly number[], longestMs: number, choices: TtlAdvice["choices"]): readonly number[] {
  const least = Math.max(durationsMs.find((each) => each > 0) ?? 1, longestMs / 1e6);
  const ratio = Math.max(longestMs / least, 1) ** (1 / BARS);
  const steps = Array.from({ length: BARS - 1 }, (_, index) => least * ratio ** (index + 1));
  const cuts = choices.map(({ ttlMs }) => ttlMs);
  const inner = [...steps, ...cuts].filter((limit) => limit < longestMs);
  return [...new Set([...inner, longestMs])].toSorted((one, other) => one - other);
}

function countUpTo(ascending: readonly number[], limits: readonly number[]) {
  let done = 0;
  return limits.map((limit) => {
    const from = done;
    while (done < ascending.length && (ascending[done] ?? Infinity) <= limit) done += 1;
    return { limit, count: done - from };
  });
}
