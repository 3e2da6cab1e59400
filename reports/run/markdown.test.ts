import { expect, test } from "vitest";
import { renderAnnotations, renderMarkdown } from "./markdown.ts";
import { faultWithoutEffect, lostInFailover, pausedPastLease, takingTurns } from "../testdata/example-runs.ts";

test("a violated run tells verdict, properties, explanation, picture and replay", () => {
  const text = renderMarkdown({ runs: [lostInFailover()] });
  expect(text).toContain("## ❌ async-failover: invalid\n");
  expect(text).toContain("| ❌ | mutual-exclusion | broken | 1 violation: lost-in-failover |\n");
  expect(text).toContain("| ✅ | owner-release | holds |  |\n");
  expect(text.match(/^> client-0 was granted k1/gm)).toHaveLength(1);
  expect(text).toMatch(/<details><summary>Timeline of the violation<\/summary>\n\n```\nINVALID {2}async-failover/);
  expect(text).toContain(
    "```sh\nnpx lockstorm replay .lockstorm/runs/2026-01-12T10-11-12-42/plan.json --backend containers\n```",
  );
});

test("a run without a violation tells how close it was", () => {
  const run = takingTurns();
  const margins = { smallestGap: { nanoseconds: 1_500_000, events: [3, 5] } };
  const text = renderMarkdown({ runs: [{ ...run, verdict: { ...run.verdict, margins } }] });
  expect(text).toContain("**How close it was**\n\n- shortest time between two holds of a lock: 1.50 ms\n");
});

test("the worst runs come first and too many are counted, not written", () => {
  const runs = [...Array.from({ length: 25 }, () => takingTurns()), faultWithoutEffect(), lostInFailover()];
  const headings = [...renderMarkdown({ runs }).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toHaveLength(20);
  expect(headings.slice(0, 3)).toEqual([
    "❌ async-failover: invalid",
    "❔ single: unknown",
    "✅ three clients in turn: valid",
  ]);
  expect(renderMarkdown({ runs })).toContain("… and 7 further runs, none worse than these.");
});

test("the matrix marks what was not expected and leaves blank what was not run", () => {
  const text = renderMarkdown({
    title: "Hunt",
    runs: [],
    summary: {
      cells: [
        { lock: "a|b", fault: "none", expected: "holds", found: "broken", note: "overrun" },
        { lock: "c", fault: "failover", expected: "broken", found: "broken" },
      ],
    },
  });
  expect(text).toContain("| lock | none | failover |\n| --- | :-: | :-: |\n| a\\|b | ❌ **!** |  |\n| c |  | ❌ |\n");
  expect(text).toContain("- **a\\|b** under **none**: expected holds, found broken (overrun)");
});

test("text of a history cannot become markup or leave its code block", () => {
  const run = lostInFailover();
  const hostile = {
    ...run,
    title: "</details><b>*x*",
    replayCommand: "```\nboom",
    verdict: { ...run.verdict, remarks: ["[a](b) | c"] },
  };
  const text = renderMarkdown({ runs: [hostile] });
  expect(text).toContain("## ❌ \\</details\\>\\<b\\>\\*x\\*: invalid");
  expect(text).toContain("- \\[a\\](b) \\| c");
  expect(text).toContain("````sh\n```\u{fffd}boom\n````");
});

test("annotations: an error for each violated required property, a warning for what is unknown, nothing for what holds", () => {
  const run = lostInFailover();
  const lines = renderAnnotations({ runs: [run, pausedPastLease(), takingTurns(), faultWithoutEffect()] }).split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(
    /^::error title=async-failover%3A mutual-exclusion broken%2C the grant was lost in a failover::client-0 /,
  );
  expect(lines[0]).toContain("%0AReplay: npx lockstorm replay");
  expect(lines[1]).toMatch(/^::error title=async-failover%3A lease-exclusion/);
  expect(lines[2]).toMatch(/^::warning title=single%3A unknown::partition on .*%0Alinearizability: /);
  expect(lines[3]).toBe("");
});

test.each([
  ["@user", "@<!-- -->user"],
  ["a@b.org", "a@<!-- -->b.org"],
  ["#12 and GH-12", "#<!-- -->12 and GH-<!-- -->12"],
  ["!12 $12", "!<!-- -->12 $<!-- -->12"],
  ["https://a.org www.a.org", "https:<!-- -->//a.org www.<!-- -->a.org"],
  ["![i](x)", "!\\[i\\](x)"],
  ["- item", "\\- item"],
  ["1. item", "1\\. item"],
  ["# title", "\\# title"],
  ["a\nb | c", "a\u{fffd}b \\| c"],
])("nothing that a host makes live stays so: %s", (words, written) => {
  const run = { ...lostInFailover(), verdict: { ...lostInFailover().verdict, remarks: [words] } };
  expect(renderMarkdown({ runs: [run] })).toContain(`\n- ${written}\n`);
});

test("percent signs and separators in annotations are encoded, line feeds of others are none of ours", () => {
  const run = { ...faultWithoutEffect(), title: "100%\r\n::stop" };
  expect(renderAnnotations({ runs: [run] })).toContain("title=100%25\u{fffd}\u{fffd}%3A%3Astop%3A unknown::");
});

test("annotations of a campaign: surprises only, with their run where one shows them, and what is missing", () => {
  const summary = {
    cells: [
      { lock: "flawed", fault: "none", expected: "broken", found: "broken", run: 0 },
      { lock: "sold", fault: "none", expected: "holds", found: "broken", run: 1 },
      { lock: "odd", fault: "none", expected: "broken", found: "holds" },
      { lock: "vague", fault: "none", found: "unknown" },
      { lock: "fine", fault: "none", expected: "holds", found: "holds" },
    ],
    missing: { cells: 2, reason: "shard 3 of 4 is not among the results" },
  } as const;
  const runs = [
    { ...lostInFailover(), title: "flawed" },
    { ...lostInFailover(), title: "sold" },
  ];
  const lines = renderAnnotations({ runs, summary }).trim().split("\n");
  expect(lines.map((line) => /^::(\w+) title=([^%:]+)/.exec(line)?.slice(1))).toEqual([
    ["error", "sold"],
    ["error", "sold"],
    ["warning", "odd under none"],
    ["warning", "vague under none"],
    ["warning", "not searched"],
  ]);
  expect(lines.at(-1)).toContain("2 more cells were not searched: shard 3 of 4");
  const text = renderMarkdown({ runs, summary });
  expect(text).toContain("## ❌ sold: invalid");
  expect(text).not.toContain("## ❌ flawed: invalid");
  expect(text).toContain("**2 more cells were not searched");
});

test("an annotation of the user's own driver is at its file", () => {
  const run = lostInFailover();
  const at = (lock: string): string =>
    renderAnnotations({ runs: [{ ...run, ...(run.plan && { plan: { ...run.plan, lock } }) }] });
  expect(at("./locks/a,b.ts")).toMatch(/^::error title=[^,:]+%2C[^,:]+,file=locks\/a%2Cb\.ts,line=1::/);
  expect(at("single")).not.toContain("file=");
  expect(at("/etc/a.ts")).not.toContain("file=");
});
