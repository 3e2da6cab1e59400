import { printableJson } from "../../harness/core/printable.ts";
import type { Report } from "../run/run-record.ts";
import { CAUSE_MEANING } from "../wording.ts";
import { codeFindings } from "./findings.ts";
import { capital } from "../../harness/core/words/capital.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
/** Where a finding is that is about no file of the project: code scanning shows none without a place. */
const NO_FILE = "package.json";

/**
 * Violations as SARIF 2.1.0, which code scanning reads. A rule is a cause. A violation in the user's driver is at its
 * file; others are at the project's `package.json`, for a schedule has no line.
 */
export function renderSarif(report: Report): string {
  const found = codeFindings(report);
  const rules = [...new Set(found.map(({ rule }) => rule))];
  const results = found.map(({ rule, message, file, identity }) => ({
    ruleId: rule,
    ruleIndex: rules.indexOf(rule),
    level: "error",
    message: { text: message },
    locations: [
      { physicalLocation: { artifactLocation: { uri: encodeURI(file ?? NO_FILE) }, region: { startLine: 1 } } },
    ],
    partialFingerprints: { lockstorm: identity },
  }));
  const driver = {
    name: "lockstorm",
    rules: rules.map((id) => {
      const text = `${capital(CAUSE_MEANING[id])}.`;
      const help = `${text} \`npx lockstorm explain ${id}\` tells how it comes about, with a schedule that shows it.`;
      return {
        id,
        shortDescription: { text },
        fullDescription: { text },
        help: { text: help.replaceAll("`", ""), markdown: help },
      };
    }),
  };
  return printableJson({ $schema: SCHEMA, version: "2.1.0", runs: [{ tool: { driver }, results }] });
}
