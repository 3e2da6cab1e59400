/** `npm run build`: compiles what is published to `dist`, beside the files that the program reads at run time. */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "dist");

/** Files that modules beside or above them read at run time. */
const ASSETS = [
  "lock-impl/parts/scripts/*.lua",
  "harness/client/*.lua",
  "reports/html/*.css",
  "reports/run/*.schema.json",
  "harness/cli/json-output/*.schema.json",
  "harness/cli/templates/*",
  "harness/verify/*.cjs",
  "docs/api.md",
  "docs/locks/plans/*.json",
];

rmSync(target, { recursive: true, force: true });
compile("tsconfig.build.json");
// The report's page is another program, for another platform.
compile("reports/html/browser/tsconfig.build.json");
for (const pattern of ASSETS) {
  const files = globSync(pattern, { cwd: root });
  if (files.length === 0) throw new Error(`no file matches ${pattern}: correct the list in packaging/build.ts`);
  for (const file of files) cpSync(join(root, file), join(target, file));
}

function compile(project: string): void {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status, error } = spawnSync(process.execPath, [compiler, "-p", join(root, project)], { stdio: "inherit" });
  if (status !== 0) throw new Error(`${project} does not compile`, { cause: error });
}
