import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { expectCode } from "../steps.ts";
import type { Side } from "./reports.ts";

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
  if (build.language === "shipped") {
    const setup = [join(root, "harness/cli/launch.js"), "setup", "--with", "go"];
    await expectCode(0, process.execPath, setup, { cwd: root });
    return;
  }
  const kit = join(root, "kits", build.language);
  const bin = join(kit, "upstream", "bin");
  const built = join(bin, basename(lock, ".worker.json"));
  if (existsSync(built)) return;
  await mkdir(bin, { recursive: true });
  if (build.language === "java") {
    try {
      await expectCode(0, "mvn", [...JAVA, `-Dredisson.version=${build.redisson}`, "package"], { cwd: kit });
    } catch (error) {
      await rm(built, { recursive: true, force: true });
      throw error;
    }
    return;
  }
  // It appears when it is whole.
  const unfinished = `${built}-unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  if (build.language === "python") {
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", unfinished];
    await expectCode(0, "python3", [...pip, ...build.packages], { cwd: kit });
  } else {
    const modfile = build.modfile === undefined ? [] : [`-modfile=${build.modfile}`];
    const words = ["build", "-buildvcs=false", ...modfile, "-o", unfinished, "."];
    const env = { ...process.env, GOWORK: "off", GOFLAGS: "" };
    await expectCode(0, "go", words, { cwd: join(kit, build.module), env });
  }
  await rename(unfinished, built);
}
