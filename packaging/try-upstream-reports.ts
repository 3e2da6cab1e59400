/**
 * `npm run upstream`: installs two versions of each library that a bug report names, and runs one plan with both: the named
 * version must break, and the fixed version must not. `npm run upstream -- redisson-2172` tries that one,
 * `npm run docs:upstream` all of them, and writes docs/upstream-reports.md; with names after `--`, the results of the
 * others stay as they are.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { step } from "./steps.ts";
import { buildSide } from "./upstream/build-side.ts";
import { upstreamReports, type Side } from "./upstream/reports.ts";
import { type Outcome, trySide } from "./upstream/try-side.ts";
import { type Outcomes, upstreamPage } from "./upstream/upstream-page.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const isPage = words.includes("--page");
const asked = words.filter((word) => !word.startsWith("--"));
const unknown = asked.filter((name) => !upstreamReports.some((report) => report.name === name));
if (unknown.length > 0) throw new Error(`there is no report ${unknown.join(", ")}`);

const area = mkdtempSync(join(tmpdir(), "lockstorm-upstream-"));
const known = JSON.parse(readFileSync(join(root, "packaging/upstream/outcomes.json"), "utf8")) as Outcomes;
const outcomes: Record<string, Outcomes[string]> = {};
try {
  for (const report of upstreamReports) {
    const { name, library, red, green } = report;
    if (asked.length > 0 && !asked.includes(name)) {
      const before = known[name];
      if (before !== undefined) outcomes[name] = before;
      continue;
    }
    const outcomeOf = ({ version, ...side }: Side, expected: Outcome): Promise<Outcome> =>
      step(`${name}: ${library} ${version} is ${expected}`, async () => {
        await buildSide({ version, ...side }, root);
        const outcome = await trySide(report, side, { root, area });
        if (outcome !== expected) throw new Error(`it is ${outcome}`);
        return outcome;
      });
    outcomes[name] = { red: await outcomeOf(red, "invalid"), green: await outcomeOf(green, "valid") };
  }
} finally {
  rmSync(area, { recursive: true });
}
if (isPage) {
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  write("packaging/upstream/outcomes.json", `${JSON.stringify(outcomes, undefined, 2)}\n`);
  write("docs/upstream-reports.md", upstreamPage(upstreamReports, outcomes));
}
