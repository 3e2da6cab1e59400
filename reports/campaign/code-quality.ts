import { createHash } from "node:crypto";
import { printableJson } from "../../harness/core/printable.ts";
import type { Report } from "../run/run-record.ts";
import { codeFindings } from "./findings.ts";

/** Violations as GitLab's code quality report, which a merge request shows beside the changed files. */
export function renderCodeQuality(report: Report): string {
  return printableJson(
    codeFindings(report).map(({ rule, message, file, identity }) => ({
      description: message,
      check_name: rule,
      fingerprint: createHash("sha256").update(identity).digest("hex"),
      severity: "critical",
      location: { path: file ?? "package.json", lines: { begin: 1 } },
    })),
  );
}
