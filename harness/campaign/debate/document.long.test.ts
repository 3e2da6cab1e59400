// @module-tag long
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderDebateMarkdown } from "../../../reports/debate/debate-markdown.ts";
import type { MeasuredHeadline } from "../../../reports/debate/measured-headline.ts";
import { debate as experiments } from "../../../workloads/debate.ts";
import { EXPERIMENT_IDS } from "../../../workloads/debate/experiment-ids.ts";
import { CONTENDERS, GUARDS } from "../../../workloads/headline-contenders.ts";
import type { MeasuredDebate } from "../../core/measurement.ts";
import { DEBATE_DEFAULTS, HEADLINE_DEFAULTS } from "./defaults.ts";
import { conclude, measureDebate } from "./measure-debate.ts";
import { measureHeadline } from "./measure-headline.ts";

const documentOf = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8");
const { debate, headline } = JSON.parse(documentOf("debate.json")) as {
  readonly debate: MeasuredDebate;
  readonly headline: MeasuredHeadline;
};

test("docs/debate.md is what its numbers say (npm run docs:debate)", () => {
  expect(documentOf("debate.md")).toBe(renderDebateMarkdown(debate, headline));
});

test("the numbers are of all experiments and all locks, with the defaults of the commands", () => {
  expect(debate).toMatchObject(DEBATE_DEFAULTS);
  expect(debate.experiments.map(({ id }) => id)).toEqual([...EXPERIMENT_IDS]);
  expect(headline).toMatchObject({ ...HEADLINE_DEFAULTS, guards: [...GUARDS], backend: "simulated" });
  expect(headline.rows.map(({ lock, topology }) => ({ lock, topology }))).toEqual([...CONTENDERS]);
});

test("the sentences are what the present experiments say of the numbers, and all is as predicted", () => {
  for (const measured of debate.experiments) {
    const experiment = experiments.find(({ id }) => id === measured.id);
    if (experiment === undefined) throw new Error(`there is no experiment ${measured.id}`);
    expect(conclude(experiment, measured.cells)).toEqual(measured);
    expect(measured.surprises, measured.id).toEqual([]);
  }
});

test("an experiment that is measured again gives the same numbers (if not: npm run docs:debate)", async () => {
  const again = await measureDebate({ ...DEBATE_DEFAULTS, only: ["clock-rate"] });
  expect(again.experiments).toEqual(debate.experiments.filter(({ id }) => id === "clock-rate"));
});

test("a lock that is measured again loses the same updates (if not: npm run docs:debate)", async () => {
  const again = await measureHeadline({
    ...HEADLINE_DEFAULTS,
    contenders: CONTENDERS.filter(({ lock }) => lock === "reference"),
    guards: ["nothing"],
    backend: "simulated",
  });
  const documented = headline.rows.find(({ lock }) => lock === "reference");
  expect(again.rows[0]?.guards["nothing"]).toEqual(documented?.guards["nothing"]);
});
