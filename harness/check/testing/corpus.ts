/**
 * The corpus in `testdata`: `node harness/check/testing/corpus.ts` judges each history and writes the verdict of every
 * property into `testdata/README.md`, where a test compares them. Look at what changed before you keep it.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseHistory } from "../../history/history-reader.ts";
import type { History } from "../../history/history.ts";
import { PROPERTIES, type PropertyVerdict } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";

const CORPUS = new URL("../testdata/", import.meta.url);
const README = new URL("README.md", CORPUS);
const TABLE = /<!-- table -->\n[\s\S]*<!-- end -->/;

/** The names of all files of the corpus. */
export function corpusFiles(): readonly string[] {
  return readdirSync(CORPUS).filter((name) => name.endsWith(".jsonl"));
}

/** One history of the corpus. */
export function corpusHistory(file: string): History {
  return parseHistory(readFileSync(new URL(file, CORPUS), "utf8"), file);
}

/** The table of the corpus in the README at present. */
export function corpusReadme(): string {
  return readFileSync(README, "utf8");
}

/** The README with the present verdicts. */
export function judgedReadme(): string {
  const rows = corpusFiles().map((file) => ({
    file,
    history: corpusHistory(file),
    name: file.split(".").at(-2) ?? file,
  }));
  const sorted = rows.toSorted((one, other) => (origin(one) + one.name < origin(other) + other.name ? -1 : 1));
  const lines = sorted.map(({ history, name }) => {
    const { properties } = checkHistory(history);
    return [name, String(history.events.length), ...PROPERTIES.map((property) => cell(properties[property]))];
  });
  const head = ["history", "events", ...PROPERTIES];
  const table = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return corpusReadme().replace(TABLE, `<!-- table -->\n${table}\n<!-- end -->`);
}

/** Hand-made ones first. */
function origin({ history: { header } }: { readonly history: History }): string {
  return typeof header["backend"] === "string" ? (header["backend"] === "simulated" ? "2" : "1") : "0";
}

function cell(verdict: PropertyVerdict | undefined): string {
  switch (verdict?.verdict) {
    case "valid":
      return "holds";
    case "invalid":
      return `**${[...new Set(verdict.violations.map(({ cause }) => cause))].toSorted().join(", ")}**`;
    case "unknown":
      return "unknown";
    default:
      return "";
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(README, judgedReadme());
