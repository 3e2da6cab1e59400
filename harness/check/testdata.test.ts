import { describe, expect, it } from "vitest";
import { PROPERTIES, type Cause, type Property } from "../core/verdict.ts";
import { checkHistory } from "./check.ts";
import { corpusFiles, corpusHistory, corpusReadme, judgedReadme } from "./testing/corpus.ts";

const files = corpusFiles();

interface Expectation {
  readonly property: Property;
  readonly verdict: string;
  readonly causes: readonly string[];
}

/** `mutual-exclusion=invalid+overrun,lease-exclusion=valid.name.jsonl` */
function expectations(file: string): readonly Expectation[] {
  const [properties = ""] = file.split(".");
  return properties.split(",").map((part) => {
    const [name = "", outcome = ""] = part.split("=");
    const property = PROPERTIES.find((known) => known === name);
    if (property === undefined) throw new Error(`${file} expects something of "${name}", which is no property`);
    const [verdict = "", ...causes] = outcome.split("+");
    return { property, verdict, causes };
  });
}

function causesOf(violations: readonly { readonly cause: Cause }[]): readonly string[] {
  return [...new Set(violations.map(({ cause }) => cause))].toSorted();
}

describe("recorded and hand-made histories", () => {
  it("are there", () => {
    expect(files.length).toBeGreaterThan(100);
    for (const backend of ["simulated", "containers"]) {
      const named = files.filter((file) => file.split(".").at(-2)?.startsWith(`${backend}-`));
      expect(named.length).toBeGreaterThan(10);
      for (const file of named) expect(corpusHistory(file).header["backend"]).toBe(backend);
    }
  });

  it("have the verdicts that their README lists", () => {
    expect(corpusReadme().split("\n")).toEqual(judgedReadme().split("\n"));
  });

  it.each(files)("%s", (file) => {
    const history = corpusHistory(file);
    const { properties } = checkHistory(history);
    for (const { property, verdict, causes } of expectations(file)) {
      expect({ property, verdict: properties[property]?.verdict }).toEqual({ property, verdict });
      expect({ property, causes: causesOf(properties[property]?.violations ?? []) }).toEqual({
        property,
        causes: causes.toSorted(),
      });
    }
  });

  it.each(files)("%s: every violation is proved by events of the history, in order", (file) => {
    const history = corpusHistory(file);
    for (const verdict of Object.values(checkHistory(history).properties)) {
      for (const { events, explanation, fault } of verdict.violations) {
        expect(events.length).toBeGreaterThan(0);
        expect(events.every((index) => history.events[index]?.index === index)).toBe(true);
        expect(events).toEqual(events.toSorted((left, right) => left - right));
        expect(explanation).toMatch(/\.$/);
        if (fault !== undefined) expect(history.events[fault]?.type).toBe("fault");
      }
    }
  });
});
