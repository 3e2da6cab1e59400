import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** What axe-core answers, as far as it is used here. https://github.com/dequelabs/axe-core/blob/develop/doc/API.md */
interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
  }[];
}

const require = createRequire(import.meta.url);
let source: string | undefined;

/** What axe-core objects to on a page, a line for each element; the size of targets is judged too. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  source ??= readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  // In the page's world, but by the debugger: the content policy of the page forbids all other ways.
  await page.evaluate(source);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary?.replaceAll(/\s+/g, " ")}`),
  );
}
