import { describe, expect, test } from "vitest";
import { renderDebateHtml } from "./debate-html.ts";
import { renderDebateMarkdown } from "./debate-markdown.ts";
import { renderDebateText } from "./debate-text.ts";
import type { MeasuredHeadline } from "./measured-headline.ts";
import { headlineVerdict, renderHeadlineText } from "./headline.ts";
import { countInShort, shareGrids } from "./share-grid.ts";
import { aDebate } from "../testdata/example-debate.ts";

const measured = aDebate();
const nothing = { violated: 0, judged: 0 };

const headline: MeasuredHeadline = {
  backend: "simulated",
  seed: 3,
  minutes: 1,
  ttlMs: 2000,
  clients: 5,
  pauseEveryMs: 5000,
  guards: ["nothing", "fencing"],
  rows: [
    {
      lock: "plain",
      topology: "single",
      guards: {
        nothing: { acknowledged: 200, lost: 5, refused: 0 },
        fencing: { acknowledged: 100, lost: 1, refused: 0 },
      },
    },
    { lock: "cut-short", topology: "redlock", guards: { nothing: { acknowledged: 50, lost: 0, refused: 2 } } },
  ],
};

describe("a grid", () => {
  const [sample] = measured.experiments;
  const grids = sample === undefined ? [] : shareGrids(sample);

  test("there is one for each property of which a run spoke, with the rows of which one did", () => {
    expect(grids.map(({ property, rows }) => [property, rows.map(({ name }) => name)])).toEqual([
      ["lease-exclusion", ["slow", "fast"]],
      ["stale-writes", ["fast"]],
    ]);
  });

  test("counts, marks what was not expected, and leaves open what was not run", () => {
    expect(grids[0]?.rows.map(({ cells }) => cells.map(countInShort))).toEqual([
      ["0/8", "2/8 !"],
      ["8/8", ""],
    ]);
    expect(countInShort(nothing)).toBe("-");
  });
});

test("the text has numbers, predictions, verdict and what is not as predicted", () => {
  const text = renderDebateText(measured, { color: false, width: 100 });
  expect(text).toMatch(/^ +lease-exclusion +1\.0125 +2\n +slow +0\/8 +2\/8 !\n +fast +8\/8\n/m);
  expect(text).toMatch(/^ {2}holds +kleppmann: it breaks\n {2}refuted +antirez: it lasts\n {2}verdict +It broke\.$/m);
  expect(text).toContain("not as predicted  slow, 2: lease-exclusion violated in 2 of 8 runs, expected never");
  expect(text).toContain("0 of 1 experiment as predicted (seed 3, 8 runs of each cell); not so: sample\n");
  expect(text).not.toMatch(/ +$/m);
});

test("the page escapes, draws a field for each cell, frames a surprise, and gives intervals", () => {
  const page = renderDebateHtml(measured);
  expect(page).toContain("Does &lt;it&gt; hold?");
  expect(page).toContain("Yes &amp; always.");
  expect(page.match(/class="share-fill"/g)).toHaveLength(4);
  expect(page.match(/class="share-ground surprise"/g)).toHaveLength(1);
  expect(page).toContain("slow, 2: 2 of 8 runs, between 7 % and 59 % (95 %)");
  expect(page).toContain('<polyline class="line');
  expect(page).toContain(">1.0125</text>");
});

test("the document has every number of both measures", () => {
  const document = renderDebateMarkdown(measured, headline);
  expect(document).toContain("|  | 1.0125 | 2 |\n|---|---|---|\n| slow | 0/8 | 2/8 ! |\n| fast | 8/8 |  |\n");
  expect(document).toContain("- antirez: [the other](https://example.org/other)\n");
  expect(document).toContain("| plain | single | 2.5 % (5 of 200) | 1.0 % (1 of 100) |\n");
  expect(document).toContain("| cut-short | redlock | 0.0 % (0 of 50) |  |\n");
});

test("the headline's sentence follows its numbers", () => {
  expect(headlineVerdict(headline)).toBe(
    "With a resource that checks nothing 1 of 2 locks lost 2.5 % of the acknowledged updates; " +
      "with a resource that checks fencing 1 of 1 locks lost 1.0 % of the acknowledged updates.",
  );
  const kept = headline.rows.map((row) => ({ ...row, guards: { nothing: { acknowledged: 9, lost: 0, refused: 0 } } }));
  expect(headlineVerdict({ ...headline, guards: ["nothing"], rows: kept })).toBe(
    "With a resource that checks nothing none of 2 lost an update.",
  );
});

test("the headline's table states its conditions", () => {
  const text = renderHeadlineText(headline, { color: false, width: 100 });
  expect(text.replaceAll(/\n +/g, " ")).toContain(
    "5 clients update one value under a lock of 2 s; every 5 s one of them pauses for longer than that. " +
      "1 virtual minute of each lock and each resource, seed 3, simulated.",
  );
  expect(text).toMatch(/^ {2}plain +single +2\.5 % \(5 of 200\) +1\.0 % \(1 of 100\)$/m);
});

test("a table says what its rows and its columns are", () => {
  const document = renderDebateMarkdown(measured, headline);
  const [{ rowAxis, columnAxis } = { rowAxis: "", columnAxis: "" }] = measured.experiments;
  expect(document).toContain(`; rows: ${rowAxis}; columns: ${columnAxis}\n`);
  expect(document).not.toMatch(/\bby by\b|, by for\b/);
});
