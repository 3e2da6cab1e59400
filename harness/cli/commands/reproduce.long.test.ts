// @module-tag long
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../../workloads/catalogue.ts";
import type { Scenario } from "../../../workloads/scenario.ts";
import { PROPERTIES } from "../../core/verdict.ts";
import { runCli } from "../testing/run-cli.ts";
import { inShort, LEGEND } from "../catalogue/in-short.ts";
import { cataloguePage } from "../catalogue/page.ts";
import { catalogueRuns, type VariantOutcome } from "../../campaign/catalogue/run-catalogue.ts";
import { isAsExpected, summaryAsData, summaryTable } from "../catalogue/summary.ts";
import { textTable } from "../catalogue/text-table.ts";

function scenarioOf(slug: string): Scenario {
  const scenario = catalogue.find((each) => each.slug === slug);
  if (scenario === undefined) throw new Error(`there is no scenario ${slug}`);
  return scenario;
}

test("docs/catalogue.md is what the data say (npm run docs:catalogue)", () => {
  expect(readFileSync(new URL("../../../docs/catalogue.md", import.meta.url), "utf8")).toBe(cataloguePage());
});

test("the page has every scenario, with its source and its control", () => {
  const page = cataloguePage();
  for (const { slug, summary, says, source, control } of catalogue) {
    expect(page).toContain(`\n## ${slug}\n`);
    expect(page).toContain(`${summary}\n`);
    expect(page).toContain(`[${source.name}](${source.link}). ${says}\n`);
    expect(page).toContain("none" in control ? `Control: ${control.none}.` : `Immune: ${control.by}`);
  }
});

describe("in short", () => {
  test("properties with the same outcome stand together", () => {
    expect(
      inShort([
        ["mutual-exclusion", "overrun"],
        ["lease-exclusion", "valid"],
        ["lost-updates", "overrun"],
      ]),
    ).toBe("ME LU overrun; LE valid");
  });

  test("the letters are explained, each once", () => {
    const letters = LEGEND.split(", ").map((entry) => entry.slice(0, 2));
    expect(new Set(letters).size).toBe(PROPERTIES.length);
  });
});

test("a table pads all columns but the last", () => {
  expect(
    textTable(
      ["a", "b"],
      [
        ["long", "x"],
        ["", "y"],
      ],
    ),
  ).toBe("a     b\nlong  x\n      y\n");
});

describe("the summary", () => {
  const outcome = (slug: string, rest: Partial<VariantOutcome> = {}): VariantOutcome => ({
    scenario: scenarioOf(slug),
    variant: "schedule",
    backend: "simulated",
    found: [["deadlock-freedom", "never-freed"]],
    differences: [],
    ...rest,
  });

  test("counts what came out as expected, and explains what did not", () => {
    const good = outcome("setnx-expire-crash");
    const bad = outcome("lost-wakeup", {
      found: [["deadlock-freedom", "valid"]],
      differences: ["deadlock-freedom is valid, not never-freed"],
      folder: "/runs/1",
    });
    expect([isAsExpected([good]), isAsExpected([good, bad])]).toEqual([true, false]);
    const table = summaryTable("simulated", [good, bad]);
    expect(table).toMatch(/^ +1 +setnx-expire-crash +DF never-freed +as expected +not run +not run$/m);
    expect(table).toMatch(/^! +16 +lost-wakeup +DF never-freed +DF valid +not run +not run$/m);
    expect(table).toContain("\n1 of 2 scenarios as expected on simulated (2 runs)\n");
    expect(table).toContain(
      "\nlost-wakeup, simulated:\n  deadlock-freedom is valid, not never-freed\n  /runs/1\n" +
        "  npx lockstorm reproduce lost-wakeup --backend simulated\n",
    );
    expect(summaryAsData([bad])).toEqual([
      {
        number: 16,
        slug: "lost-wakeup",
        backend: "simulated",
        variant: "schedule",
        expected: { "deadlock-freedom": "never-freed" },
        found: { "deadlock-freedom": "valid" },
        asExpected: false,
        differences: ["deadlock-freedom is valid, not never-freed"],
        folder: "/runs/1",
      },
    ]);
  });

  test("a scenario whose control fails is not as expected", () => {
    const control = outcome("lost-wakeup", { variant: "control", differences: ["no lock was ever contended"] });
    expect(summaryTable("simulated", [outcome("lost-wakeup"), control])).toContain("\n0 of 1 scenarios as expected");
  });

  test("says what containers cannot do, and why", () => {
    const table = summaryTable("containers", []);
    expect(table).toMatch(/^ +41 +clock-rate-skew +.* n\/a +n\/a +not run$/m);
    expect(table).toContain("\nn/a: clock-rate-skew: containers cannot change the speed of a clock\n");
    expect(table).toContain("\nn/a: clock-backward, control: containers cannot change the speed of a clock\n");
  });
});

test("containers are asked for everything that they can do, the simulation for everything", () => {
  const simulated = catalogueRuns(["simulated"]);
  const both = catalogueRuns(["simulated", "containers"]);
  expect(simulated.filter(({ variant }) => variant === "schedule")).toHaveLength(43);
  const onContainers = both.slice(simulated.length);
  const left = new Set(
    onContainers.filter(({ variant }) => variant === "schedule").map(({ scenario }) => scenario.slug),
  );
  expect(catalogue.map(({ slug }) => slug).filter((slug) => !left.has(slug))).toEqual(
    catalogue.filter(({ onlyInSimulation }) => onlyInSimulation !== undefined).map(({ slug }) => slug),
  );
});

describe("the command", () => {
  test("runs all of them in simulation, and all come out as expected", async () => {
    const { code, stdout, stderr } = await runCli(["reproduce", "--all", "--backend", "simulated"]);
    expect(stdout).toContain("43 of 43 scenarios as expected on simulated");
    expect(stderr).toContain("1 of 127: setnx-expire-crash, simulated");
    expect(code).toBe(0);
  });

  test("says that a scenario came out as expected, what it illustrates and who says so", async () => {
    const { slug, says, source } = scenarioOf("pause-during-acquire");
    const { code, stdout } = await runCli(["reproduce", slug, "--backend", "simulated"]);
    expect(stdout).toContain("As the catalogue expects.");
    expect(stdout).toContain(`${says}\n${source.name}\n${source.link}\n`);
    expect(code).toBe(0);
  });

  test.each([
    [["pause-during-acquire", "--control"], /pause-during-acquire has no control: .*; run it without --control\n$/],
    [["plain-del", "--control", "--no-faults"], /--control and --no-faults exclude each other; give one of them\n$/],
    [["--all", "--lock", "single"], /--lock cannot be combined with --all; /],
    [["--all", "plain-del"], /reproduce --all takes no "plain-del"; /],
    [["--markdown"], /--markdown belongs to --list; give both, or neither\n$/],
  ])("%j is refused", async (words, line) => {
    const { code, stdout, stderr } = await runCli(["reproduce", ...words]);
    expect(stderr).toMatch(line);
    expect([code, stdout]).toEqual([254, ""]);
  });
});
