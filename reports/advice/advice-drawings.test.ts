import { describe, expect, test } from "vitest";
import { renderAdviceHtml } from "./advice-html.ts";
import { renderAdviceSvg } from "./advice-svg.ts";
import { renderAdviceText } from "./advice-text.ts";
import { adviseTtl } from "./ttl-advice.ts";

const advice = adviseTtl(
  Array.from({ length: 4000 }, (_, index) => -200 * Math.log1p(-(index + 0.5) / 4000)),
  { marginShare: 0.2, cutOff: 2 },
);

describe("as text", () => {
  const text = renderAdviceText(advice, { color: false, width: 80 });

  test("has the rules, what overruns them, and the advice", () => {
    expect(text).toMatch(/^4,000 holds: mean 200 ms, median 139 ms, P99 919 ms/);
    expect(text).toMatch(/3 x mean +600 ms +199 \(5 %\) +5\.6 % +200 ms/);
    expect(text).toContain("Take a TTL of 1,700 ms: P99.9 + 20 %. Where the lock renews, renew every 566");
    expect(text).toContain("2 holds have no known end");
  });

  test("draws each hold once, and overruns behind the TTLs", () => {
    const bars = [...text.matchAll(/^ +[\d,.]+ ms ([█▒]*) ?([\d,]*)$/gm)];
    expect(bars.reduce((sum, [, , number]) => sum + Number(number?.replaceAll(",", "")), 0)).toBe(4000);
    const lines = text.split("\n");
    const first = lines.findIndex((line) => line.includes("TTL by 3 x mean"));
    expect(lines.slice(0, first).join("")).not.toContain("▒");
    expect(lines.slice(first).join("")).not.toContain("█");
    const beyond = lines.slice(first).flatMap((line) => / ▒+ (\d+)$/.exec(line)?.[1] ?? []);
    expect(beyond.reduce((sum, number) => sum + Number(number), 0)).toBe(advice.choices[0]?.overruns);
  });

  test("gives each length once", () => {
    const lengths = [...text.matchAll(/^ +([\d .]+ ms) *[█▒━]/gm)].map(([, length]) => length);
    expect(new Set(lengths).size).toBe(lengths.length);
  });

  test.each([60, 80, 120])("fits into %i columns", (width) => {
    const bars = renderAdviceText(advice, { color: false, width })
      .split("\n")
      .filter((line) => /[█▒━]/.test(line));
    expect(Math.max(...bars.map((line) => line.length))).toBeLessThanOrEqual(width);
  });
});

describe("as SVG", () => {
  const svg = renderAdviceSvg(advice);

  test("has a dashed line for each rule, a falling curve, and says it all in words", () => {
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(3);
    expect(svg).toContain("TTL by 3 x mean 600 ms: 5 % overrun");
    const [, path = ""] = / d="([^"]+)"/.exec(svg) ?? [];
    const heights = [...path.matchAll(/V([\d.]+)/g)].map(([, y]) => Number(y));
    expect(heights.length).toBeGreaterThan(500);
    expect(heights).toEqual(heights.toSorted((one, other) => one - other));
  });

  test("is drawn of one hold, and of equal or momentary ones too", () => {
    for (const durations of [[5], [5, 5], [0], [0, 1e6]]) {
      const one = renderAdviceSvg(adviseTtl(durations, { marginShare: 0, cutOff: 0 }));
      expect(one).not.toMatch(/NaN|Infinity/);
    }
  });
});

test("as a page it needs nothing else", () => {
  const page = renderAdviceHtml(advice);
  expect(page).toContain("<svg ");
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<script|src=|href=/);
});

test("the page draws it for wide and for narrow windows with letters of one size, and says what the picture shows", () => {
  const page = renderAdviceHtml(advice);
  expect([...page.matchAll(/<svg[^>]* width="(\d+)"/g)].map(([, width]) => width)).toEqual(["720", "340"]);
  for (const word of ["overrun", "P99.9", "dashed line", "upper bound"]) expect(page).toContain(word);
});

test("a narrow picture keeps its words within its width", () => {
  const svg = renderAdviceSvg(advice, 340);
  for (const [, x = "", anchor, words = ""] of svg.matchAll(
    /<text x="([\d.]+)"[^>]*text-anchor="(\w+)"[^>]*>([^<]*)</g,
  )) {
    const length = 6.6 * words.length;
    const from = Number(x) - (anchor === "end" ? length : anchor === "middle" ? length / 2 : 0);
    expect(from, words).toBeGreaterThanOrEqual(0);
    expect(from + length, words).toBeLessThanOrEqual(340);
  }
});
