import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expectCode } from "../steps.ts";
import type { Build, Side } from "./reports.ts";

/** What a version's file has after its name. */
const ENDING = /\.worker\.json$|\.ts$/u;

const JAVA = [
  "--quiet",
  "--batch-mode",
  "-Pupstream",
  "--projects",
  "upstream",
  "--also-make",
  "-Dmaven.test.skip=true",
];

/**
 * Builds the worker of a version, with the packages of its language's registry, in `bin` beside its worker file. Done once.
 * @param root the project's root
 */
export async function buildSide({ lock, build }: Side, root: string): Promise<void> {
  if (build.language === "here") return;
  if (build.language === "shipped") {
    const setup = [join(root, "harness/cli/launch.js"), "setup", "--with", "go"];
    await expectCode(0, process.execPath, setup, { cwd: root });
    return;
  }
  const bin = join(root, dirname(lock), "bin");
  const name = build.language === "java" ? `redisson-${build.redisson}` : basename(lock).replace(ENDING, "");
  const built = join(bin, name);
  if (existsSync(built)) return;
  await mkdir(bin, { recursive: true });
  if (build.language === "java") {
    try {
      const cwd = join(root, "kits/java");
      await expectCode(0, "mvn", [...JAVA, `-Dredisson.version=${build.redisson}`, "package"], { cwd });
    } catch (error) {
      await rm(built, { recursive: true, force: true });
      throw error;
    }
    return;
  }
  // It appears when it is whole.
  const unfinished = `${built}-unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await install(build, unfinished, root);
  await rename(unfinished, built);
}

type Installed = Extract<Build, { readonly language: "python" | "go" | "npm" }>;

async function install(build: Installed, into: string, root: string): Promise<void> {
  if (build.language === "python") {
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", into];
    await expectCode(0, "python3", [...pip, ...build.packages], { cwd: root });
  } else if (build.language === "npm") {
    await mkdir(into);
    // Without a manifest npm would install into the project.
    await writeFile(join(into, "package.json"), '{ "private": true }\n');
    const words = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
    await expectCode(0, "npm", [...words, ...build.packages], { cwd: into });
  } else {
    const modfile = build.modfile === undefined ? [] : [`-modfile=${build.modfile}`];
    const words = ["build", "-buildvcs=false", ...modfile, "-o", into, "."];
    const env = { ...process.env, GOWORK: "off", GOFLAGS: "" };
    await expectCode(0, "go", words, { cwd: join(root, "kits/go", build.module), env });
  }
}
