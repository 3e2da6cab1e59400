import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { SCRIPT } from "./assets.ts";
import { html, Markup } from "./markup.ts";
import { renderHtml } from "./html.ts";
import { proveSimulated, runSimulated } from "../../harness/campaign/run-simulated.ts";
import { catalogue } from "../../workloads/catalogue.ts";
import { planOf } from "../../workloads/scenario.ts";
import { EXAMPLE_RUNS, lostInFailover, takingTurns } from "../testdata/example-runs.ts";

test("the content policy names the hash of the one program in the page", () => {
  const page = renderHtml({ runs: [lostInFailover()] });
  const [, program = ""] = /<script type="module">(.*?)<\/script>/s.exec(page) ?? [];
  const hash = createHash("sha256").update(program).digest("base64");
  expect(page).toContain(`script-src &#39;sha256-${hash}&#39;`);
  expect(page.match(/<script/g)).toHaveLength(2);
});

test("the page names no address: it needs nothing from anywhere", () => {
  const page = renderHtml({ runs: Object.values(EXAMPLE_RUNS).map((make) => make()) });
  const addresses = [...page.matchAll(/\b(?:https?:|\/\/)[^\s"'<)]+/g)].map(([address]) => address);
  expect(addresses.filter((address) => !address.startsWith("//") && address !== "http://www.w3.org/2000/svg")).toEqual(
    [],
  );
  expect(page).not.toMatch(/<link|<img|@import|url\((?!#)/);
});

test("the page carries the whole history", () => {
  const run = takingTurns(9);
  const [, packed = ""] = /class="run-data">([^<]+)</.exec(renderHtml({ runs: [run] })) ?? [];
  const data: unknown = JSON.parse(gunzipSync(Buffer.from(packed.trim(), "base64")).toString());
  expect(data).toMatchObject({ events: run.history.events });
});

test("what is judged can be read without the program", () => {
  const page = renderHtml({ runs: [lostInFailover()] }).replaceAll(/<script.*?<\/script>/gs, "");
  for (const words of [
    "INVALID",
    "lost-in-failover",
    "client-0 was granted k1 by node-0",
    "ROLE of node-1 says master",
    "npx lockstorm replay",
  ]) {
    expect(page).toContain(words);
  }
});

test("a scenario's page tells what it shows, and who says so", () => {
  const source = { name: "A <paper>", link: "https://example.org/?a=1&b=2" };
  const about = { summary: "Two clients hold.", says: "It can happen.", source };
  const page = renderHtml({ runs: [{ ...lostInFailover(), about }] });
  expect(page).toContain("Two clients hold.");
  expect(page).toContain('It can happen. <a href="https://example.org/?a=1&amp;b=2">A &lt;paper&gt;</a>');
  expect(renderHtml({ runs: [lostInFailover()] })).not.toContain('class="about"');
});

test("a table tells how much was run, and each of its cells how to search it again", () => {
  const cells = [
    {
      lock: "a",
      fault: "none",
      expected: "holds",
      found: "holds",
      runs: 20,
      valid: 18,
      command: "npx lockstorm hunt --lock a",
    },
    {
      lock: "a",
      fault: "stall",
      expected: "broken",
      found: "broken",
      runs: 3,
      command: "npx lockstorm hunt --faults stall",
    },
    { lock: "a", fault: "reset", expected: "holds", found: "unknown", runs: 5, valid: 0 },
  ] as const;
  const page = renderHtml({ runs: [], summary: { cells } });
  const figures = [...page.matchAll(/<dd>([\d,]+)<\/dd>\s*<dt>([^<]*)/g)].map(
    ([, figure, means]) => `${figure} ${means}`,
  );
  expect(figures.slice(0, 5)).toEqual([
    "28 runs",
    "1 cells hold",
    "18 valid runs behind them",
    "7 runs there decided nothing",
    "1 cells broken, as documented or not claimed",
  ]);
  expect(page).toContain("18 of them valid: at most 16 % of such runs break it");
  expect(page).toContain("npx lockstorm hunt --faults stall");
  expect(page.match(/class="show-cell"/g)).toHaveLength(2);
});

test("a Redlock node that voted twice is seen at a glance, with the arrows that were recorded and the control", async () => {
  const scenario = catalogue.find(({ slug }) => slug === "node-clock-jump");
  if (scenario === undefined) throw new Error("no scenario");
  const run = await runSimulated(planOf(scenario, { seed: 1 }), {
    title: "node-clock-jump",
    required: ["mutual-exclusion"],
  });
  const { record } = await proveSimulated(run);
  const page = renderHtml({ runs: [record] });
  expect(page).toMatch(/class="band band-\d twice"[^>]*><title>node-2 thinks client-1 holds k1/);
  expect(page).toContain("node-2 votes twice: it gives k1 to client-1 too; its clock is 11");
  expect(page).toContain("thinks client-0 holds k1 for another");
  expect(page).toContain("SET k1");
  expect(page).toContain("The first event that differs:");
  expect(page).not.toContain("was not observed");
});

test("the modules of the page's program do not share a name, for they share a scope", () => {
  const names = [...SCRIPT.matchAll(/^(?:async )?(?:function|class|const|let) (\w+)/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(SCRIPT).not.toMatch(/^(?:import|export) /m);
});

test("templates escape text, pass markup, join lists and leave out what is not there", () => {
  const content = html`<p title="${`"<'&>`}">${["a<b", new Markup("<i>c</i>"), 3]}${undefined}${false}</p>`;
  expect(content.text).toBe('<p title="&quot;&lt;&#39;&amp;&gt;">a&lt;b<i>c</i>3</p>');
});

test("the page of a hunt for one lock has the figures of its runs, and no table of one cell", () => {
  const cell = {
    lock: "get-del",
    fault: "pause-client + reset",
    expected: "holds",
    found: "broken",
    runs: 9,
    valid: 8,
  } as const;
  const page = renderHtml({ title: "hunt", runs: [lostInFailover()], summary: { title: "hunt", cells: [cell] } });
  const figures = [...page.matchAll(/<dd>([\d,]+)<\/dd>\s*<dt>([^<]+)<\/dt>/g)].map(
    ([, figure, means]) => `${figure} ${means}`,
  );
  expect(figures).toEqual(["9 runs", "8 valid", "0 unknown", "1 broke the lock"]);
  expect(page).not.toContain('<table class="matrix">');
  expect(page).toContain("broken, found in 9 runs");
});

test("the page of a hunt says why runs decided nothing, one bound only, and how to search again", () => {
  const cell = {
    lock: "single",
    fault: "failover",
    expected: "holds",
    found: "holds",
    runs: 1000,
    valid: 698,
    unpromised: 300,
    held: [{ property: "lease-exclusion", runs: 698 }],
    command: "npx lockstorm hunt --lock single --topology sentinel --faults failover --runs 1000 --seed 7",
  } as const;
  const newOrder = { probability: 0.27, low: 0.2, high: 0.34 };
  const summary = {
    title: "hunt",
    cells: [cell],
    residualRisk: { runs: 400, valid: 109, atMost: 0.027, orders: 402, newOrder },
  };
  const page = renderHtml({ title: "hunt", runs: [], summary });
  const figures = [...page.matchAll(/<dd>([\d,]+)<\/dd>\s*<dt>([^<]+)<\/dt>/g)].map(
    ([, figure, means]) => `${figure} ${means}`,
  );
  expect(figures).toEqual([
    "1,000 runs",
    "698 valid",
    "2 unknown",
    "300 without a guaranteed property",
    "0 broke the lock",
  ]);
  expect([...page.matchAll(/at most [\d.]+ % of such runs break it/g)]).toHaveLength(1);
  expect(page).toContain(`<code>${cell.command}</code>`);
});
