import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkHistory } from "../../check/check.ts";
import { parseHistory } from "../history-reader.ts";
import { EdnReader } from "./edn-reader.ts";
import { toEdn } from "./edn-writer.ts";

const folder = new URL("../../check/testdata/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

describe("a history written for Jepsen", () => {
  it.each(files)("is judged as the original was, as far as Jepsen has words for it: %s", (file) => {
    const original = parseHistory(readFileSync(new URL(file, folder), "utf8"), file);
    const lines = original.events.map(toEdn).filter((line) => line !== undefined);
    const reader = new EdnReader("history.edn");
    const events = lines.flatMap((line) => reader.push(line));
    const written = original.events.filter(({ type }) => type !== "lost" && type !== "audit");
    expect(events).toHaveLength(written.length);
    const hasLost = written.length < original.events.filter(({ type }) => type !== "audit").length;
    if (hasLost) return;
    const [before, after] = [original, { ...original, events }].map((history) => {
      const { "mutual-exclusion": exclusion, linearizability } = checkHistory(history).properties;
      return [exclusion, linearizability].map((property) => [
        property?.verdict,
        property?.violations.map(({ cause }) => cause),
      ]);
    });
    expect(after).toEqual(before);
  });

  it("has keywords only for names that can be one", () => {
    const name = (fields: object): string | undefined =>
      toEdn({ index: 0, time: 1, process: 0, type: "fail", f: "acquire", key: "k", value: { reason: "x", ...fields } });
    expect(name({ "a-b": 1, "my field": 2, "": 3 })).toContain(':value {:reason "x" :a-b 1 "my field" 2 "" 3}');
  });
});
