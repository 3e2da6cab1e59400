import { lineAt, nodesOf, parse, isNode, type SourceFile, type SyntaxNode } from "./source-file.ts";

/**
 * Files that make what is written, hashed or compared key by key: there an absent key is not an undefined one. It may
 * only shrink.
 */
const EXACT = {
  "plans: stored, and compared with each other": [
    "harness/campaign/recurrence/pinned.ts",
    "workloads/contention.ts",
    "workloads/debate/tokens.ts",
    "workloads/deviations/retargeted.ts",
    "workloads/deviations/side-by-side.ts",
    "workloads/sharing.ts",
  ],
  "events of a history, and the messages that become events": [
    "harness/client/client-program.ts",
    "harness/core/audit-log.ts",
    "harness/core/sharing.ts",
    "harness/run/client-session.ts",
    "harness/run/nemesis.ts",
    "harness/run/record-notice.ts",
    "harness/simulated/wire/server-watch.ts",
    "harness/simulated/wire/tapped-connection.ts",
  ],
  "verdicts that are kept with a run": [
    "harness/check/causes/margins.ts",
    "harness/check/causes/two-places.ts",
    "harness/check/explanation.ts",
    "harness/check/properties/mutual-exclusion.ts",
    "harness/proof/comparison.ts",
    "harness/proof/prove.ts",
    "harness/proof/proven-elsewhere.ts",
  ],
  "journals of campaigns, what identifies one, and what else a store keeps": [
    "harness/campaign/explore/explorer.ts",
    "harness/campaign/explore/prepare-exploration.ts",
    "harness/campaign/hunt/hunt-lock.ts",
    "harness/campaign/hunt/prepare-hunt.ts",
    "harness/campaign/ladder/cell-notes.ts",
    "harness/campaign/ladder/ladder-journal.ts",
    "harness/campaign/recurrence/real-servers.ts",
    "harness/cli/store/outcomes.ts",
    "packaging/lock-pages/kept-recurrences.ts",
    "packaging/upstream/reports.ts",
  ],
  "output that other programs read": [
    "harness/cli/print-hunt.ts",
    "harness/cli/print-ladder.ts",
    "reports/html/page-data.ts",
  ],
  "directives and variables of servers and images": [
    "harness/containers/servers/redis-configuration.ts",
    "harness/containers/setup/images.ts",
    "harness/simulated/system/layout.ts",
  ],
} as const satisfies Record<string, readonly string[]>;

/**
 * Spreads that leave a key out under a condition, as in `...(x === undefined ? {} : { x })`. Elsewhere a type
 * `x?: T | undefined` and a plain `x` say the same.
 */
export function conditionalSpreads(files: readonly SourceFile[]): string[] {
  const exact = new Set<string>(Object.values(EXACT).flat());
  const found = files.flatMap((file) =>
    nodesOf(parse(file))
      .filter(isConditionalSpread)
      .map(({ start }) => ({ path: file.path, line: lineAt(file, start) })),
  );
  const paths = new Set(found.map(({ path }) => path));
  const read = new Set(files.map(({ path }) => path));
  return [
    ...found
      .filter(({ path }) => !exact.has(path))
      .map(({ path, line }) => `${path}:${line}: leaves a key out under a condition`),
    ...[...exact]
      .filter((path) => read.has(path) && !paths.has(path))
      .map((path) => `${path}: has no conditional spread any more, and need not be listed`),
  ];
}

function isConditionalSpread(node: SyntaxNode): boolean {
  if (node.type !== "SpreadElement") return false;
  const argument = bare(node["argument"]);
  if (argument?.type === "LogicalExpression") return bare(argument["right"])?.type === "ObjectExpression";
  if (argument?.type !== "ConditionalExpression") return false;
  const branches = [bare(argument["consequent"]), bare(argument["alternate"])];
  return branches.every((branch) => branch?.type === "ObjectExpression") && branches.some(isEmpty);
}

/** The expression without its parentheses. */
function bare(node: unknown): SyntaxNode | undefined {
  if (!isNode(node)) return undefined;
  return node.type === "ParenthesizedExpression" ? bare(node["expression"]) : node;
}

function isEmpty(node: SyntaxNode | undefined): boolean {
  return Array.isArray(node?.["properties"]) && node["properties"].length === 0;
}
