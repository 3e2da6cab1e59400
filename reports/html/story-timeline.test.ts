import { describe, expect, test } from "vitest";
import { proveSimulated, runSimulated } from "../../harness/campaign/run-simulated.ts";
import { checkHistory } from "../../harness/check/check.ts";
import { Recording } from "../../harness/check/testing/recording.ts";
import { catalogue } from "../../workloads/catalogue.ts";
import { planOf } from "../../workloads/scenario.ts";
import { lostInFailover, takingTurns } from "../testdata/example-runs.ts";
import { renderHtml } from "./html.ts";

/** The page of a scenario of the catalogue, as a reader of the catalogue sees it. */
async function pageOf(slug: string): Promise<string> {
  const scenario = catalogue.find((each) => each.slug === slug);
  if (scenario === undefined) throw new Error(`no scenario ${slug}`);
  const run = await runSimulated(planOf(scenario, { seed: 1 }), { title: slug, required: ["mutual-exclusion"] });
  return renderHtml({ runs: [(await proveSimulated(run)).record] });
}

interface Label {
  readonly from: number;
  readonly to: number;
  readonly says: string;
}

/** The texts of a class in one row of the pictures of a page, each with the room that it takes. */
function labels(svg: string, name: string): readonly (readonly Label[])[] {
  const found = [...svg.matchAll(/<text class="([^"]*)" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]*)</g)];
  const rows = Map.groupBy(
    found.filter(([, kind = ""]) => kind.split(" ")[0] === name),
    ([, , , y]) => y,
  );
  return [...rows.values()].map((row) =>
    row
      .map(([, , x, , anchor, says = ""]) => {
        const room = says.length * 5.5;
        const from = Number(x) - (anchor === "middle" ? room / 2 : anchor === "end" ? room : 0);
        return { from, to: from + room, says };
      })
      .toSorted((one, other) => one.from - other.from),
  );
}

function overlapping(page: string, name: string): readonly string[] {
  const pictures = [...page.matchAll(/<svg [^>]*class="story-picture".*?<\/svg>/gs)].map(([svg]) => svg);
  expect(pictures.length).toBeGreaterThan(0);
  return pictures
    .flatMap((svg) => labels(svg, name))
    .flatMap((row) =>
      row.flatMap(({ from, says }, index) => {
        const before = row[index - 1];
        return before !== undefined && before.to > from ? [`${before.says} | ${says}`] : [];
      }),
    );
}

describe.each(["setnx-timestamp-del", "get-del-race", "plain-del", "node-clock-jump"])("the picture of %s", (slug) => {
  test("has no word on another", async () => {
    const page = await pageOf(slug);
    expect(overlapping(page, "tick")).toEqual([]);
    expect(overlapping(page, "band-label")).toEqual([]);
  });
});

function legendOf(page: string): string {
  const [, legend = ""] = /<p class="legend">(.*?)<\/p>/s.exec(page) ?? [];
  return legend.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
}

describe("the legend", () => {
  test("explains every mark that is drawn", () => {
    const legend = legendOf(renderHtml({ runs: [lostInFailover()] }));
    for (const meaning of ["holds, lease in force", "both hold", "waits for an answer", "fault", "time left out"])
      expect(legend).toContain(meaning);
    expect(legend).toContain("× not granted");
    expect(legend).toContain("write accepted");
  });

  test("explains nothing else", () => {
    const page = renderHtml({ runs: [takingTurns(2)] });
    expect(page).not.toContain('class="cut"');
    for (const meaning of ["time left out", "both hold", "lease over", "fault", "never answered", "write refused"])
      expect(legendOf(page)).not.toContain(meaning);
  });
});

test("the words of a second grant lie within the band that is framed; where it is too short, they are the client's name", async () => {
  const page = await pageOf("plain-del");
  const bands = [...page.matchAll(/<rect class="band [^"]*twice" x="([\d.]+)"[^>]*width="([\d.]+)"/g)];
  const words = labels(page, "band-label")
    .flat()
    .filter(({ says }) => says.startsWith("grants twice"));
  expect(bands.length).toBeGreaterThan(0);
  const ends = bands.map(([, x, width]) => ({ from: Number(x), to: Number(x) + Number(width) }));
  for (const { from, to } of words) expect(ends.some((band) => band.from <= from && to <= band.to)).toBe(true);
});

test("the words of a promotion stand on no client's name, also on a narrow screen", async () => {
  const page = await pageOf("async-failover");
  const pictures = [...page.matchAll(/<svg [^>]*class="story-picture".*?<\/svg>/gs)].map(([svg]) => svg);
  const covered = pictures.flatMap((svg) => {
    const promotions = labels(svg, "promotion-label").flat();
    const rows = [...svg.matchAll(/class="promotion-label" x="[\d.]+" y="([\d.]+)"/g)].map(([, y]) => Number(y) - 0.5);
    const names = [
      ...svg.matchAll(/<text class="band-label[^"]*" x="([\d.]+)" y="([\d.]+)" text-anchor="start">([^<]*)</g),
    ];
    return names
      .filter(([, , y]) => rows.includes(Number(y)))
      .filter(([, x, , says = ""]) =>
        promotions.some(({ from, to }) => Number(x) < to && from < Number(x) + says.length * 5.5),
      );
  });
  expect(pictures.some((svg) => svg.includes("becomes master"))).toBe(true);
  expect(covered).toEqual([]);
});

test("the words of a promotion stand on no band of a server, also on a narrow screen", async () => {
  const page = await pageOf("async-failover");
  const pictures = [...page.matchAll(/<svg [^>]*class="story-picture".*?<\/svg>/gs)].map(([svg]) => svg);
  const promoting = pictures.filter((svg) => svg.includes("promotion-label"));
  expect(promoting.length).toBeGreaterThan(1);
  for (const svg of promoting) {
    const [, y = ""] = /class="promotion-label" x="[\d.]+" y="([\d.]+)"/.exec(svg) ?? [];
    const bands = [...svg.matchAll(/<rect class="band [^"]*" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/g)];
    const beside = bands.filter(([, , top]) => Number(top) === Number(y) - 11);
    const words = labels(svg, "promotion-label").flat();
    expect(words.length).toBe(1);
    expect(beside.length).toBeGreaterThan(0);
    for (const { from, to } of words)
      expect(beside.filter(([, x, , width]) => Number(x) < to && from < Number(x) + Number(width))).toEqual([]);
  }
});

test("the words on a bar stand on no cut of the axis", () => {
  const { history } = new Recording({ clients: 3, backend: "simulated" })
    .acquire(0, 0, "a", { mode: "shared", validForMs: 90_000 })
    .acquire(2, 2, "c", { mode: "shared", validForMs: 90_000 })
    .release(4, 2, "c")
    .acquire(60_000, 1, "b", { mode: "exclusive", validForMs: 90_000 })
    .release(60_040, 1, "b")
    .release(60_200, 0, "a");
  const page = renderHtml({ runs: [{ title: "readers", history, verdict: checkHistory(history) }] });
  const pictures = [...page.matchAll(/<svg [^>]*class="story-picture".*?<\/svg>/gs)].map(([svg]) => svg);
  const cut = pictures.filter((svg) => svg.includes('class="cut"'));
  expect(cut.length).toBeGreaterThan(1);
  for (const svg of cut) {
    const cuts = [...svg.matchAll(/<g class="cut">.*?<rect x="([\d.]+)"/gs)].map(([, x]) => Number(x));
    expect(cuts.length).toBeGreaterThan(0);
    const words = labels(svg, "share-label").flat();
    expect(words.map(({ says }) => says)).toContain("reader");
    expect(words.filter(({ from, to }) => cuts.some((x) => x < to && from < x + 8))).toEqual([]);
  }
});

test("tries that were refused in one place have one mark", async () => {
  const page = await pageOf("stale-master-after-heal");
  expect(page).toMatch(/class="refusal (?:fail|info)"/);
  expect(overlapping(page, "refusal")).toEqual([]);
});
