import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package manager of Node: its lock files, and how it adds a development dependency. */
interface PackageManager {
  readonly name: string;
  readonly lockFiles: readonly string[];
  readonly add: readonly string[];
}

const NPM: PackageManager = {
  name: "npm",
  lockFiles: ["package-lock.json", "npm-shrinkwrap.json"],
  add: ["npm", "install", "--save-dev"],
};

const PACKAGE_MANAGERS: readonly PackageManager[] = [
  NPM,
  { name: "pnpm", lockFiles: ["pnpm-lock.yaml"], add: ["pnpm", "add", "--save-dev"] },
  { name: "yarn", lockFiles: ["yarn.lock"], add: ["yarn", "add", "--dev"] },
  { name: "bun", lockFiles: ["bun.lock", "bun.lockb"], add: ["bun", "add", "--dev"] },
];

/** A command that changes a project, and where to run it. */
export interface ProjectCommand {
  /** The folder of the project's `package.json`; where there is none, the folder itself, and the command makes one. */
  readonly folder: string;
  /** The program and its arguments. */
  readonly words: readonly string[];
}

/**
 * The command that adds a development dependency to the project of a folder. It uses the package manager whose lock
 * file is nearest; without a lock file, the one that runs this program (`npx`, `pnpm exec`), and npm otherwise.
 * @param dependency name and version: `testcontainers@12`
 */
export function addCommand(
  folder: string,
  dependency: string,
  userAgent = process.env["npm_config_user_agent"] ?? "",
): ProjectCommand {
  const project = nearest(folder, (each) => existsSync(join(each, "package.json"))) ?? folder;
  const { add } = ofLockFile(project) ?? PACKAGE_MANAGERS.find(({ name }) => userAgent.startsWith(`${name}/`)) ?? NPM;
  // pnpm refuses to add to the root of a workspace without an explicit flag.
  const workspaceRoot = add[0] === "pnpm" && existsSync(join(project, "pnpm-workspace.yaml"));
  return { folder: project, words: [...add, ...(workspaceRoot ? ["--workspace-root"] : []), dependency] };
}

/** In a workspace the lock file is in a folder above the project's. */
function ofLockFile(project: string): PackageManager | undefined {
  const lockedBy = (folder: string): PackageManager | undefined =>
    PACKAGE_MANAGERS.find(({ lockFiles }) => lockFiles.some((file) => existsSync(join(folder, file))));
  const folder = nearest(project, (each) => lockedBy(each) !== undefined);
  return folder === undefined ? undefined : lockedBy(folder);
}

/** The folder, or the nearest one above it, for which the condition holds. */
function nearest(folder: string, matches: (folder: string) => boolean): string | undefined {
  for (let each = folder; ; each = dirname(each)) {
    if (matches(each)) return each;
    if (each === dirname(each)) return undefined;
  }
}
