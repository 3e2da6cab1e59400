import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { verifyClockLibrary } from "./client-clock.ts";
import { describeWithEngine } from "../testing/engine-required.ts";

const run = promisify(execFile);
const PROGRAM = `
  const { clientClockLibrary } = await import("${import.meta.dirname}/client-clock.ts");
  console.log(JSON.stringify(await clientClockLibrary()));
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The library, as found by a process with only these programs and an empty cache. */
async function libraryWith(
  ...programs: readonly string[]
): Promise<{ library?: string; origin?: string; reason?: string }> {
  const path = join(folder, "bin");
  mkdirSync(path, { recursive: true });
  for (const program of programs) {
    const { stdout } = await run("/bin/sh", ["-c", `command -v ${program}`]);
    symlinkSync(stdout.trim(), join(path, program));
  }
  const env = { ...process.env, PATH: path, XDG_CACHE_HOME: join(folder, "cache") };
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", PROGRAM], { env });
  return JSON.parse(stdout) as Awaited<ReturnType<typeof libraryWith>>;
}

describeWithEngine("on Linux, the clock library for clients", () => {
  test("comes out of the node image where there is no compiler, and is found again", async () => {
    const first = await libraryWith("tar");
    expect(first.origin).toBe("from the image");
    await verifyClockLibrary(first.library ?? "");
    expect(await libraryWith()).toEqual({ library: first.library, origin: "kept" });
  });

  test("is not offered where it can be had in neither way", async () => {
    const { library, reason } = await libraryWith();
    expect(library).toBeUndefined();
    expect(reason).toMatch(/no C compiler.*tar/);
  });

  test("is refused when processes do not follow it", async () => {
    const broken = join(folder, "clock.so");
    writeFileSync(broken, "not a library");
    await expect(verifyClockLibrary(broken)).rejects.toThrow("a clock to be 3600 s ahead is");
  });
});
