import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expectCode } from "../steps.ts";

/** Runs the tests of the Java kit and of its locks with JUnit, on a copy in `area`. */
export async function testJavaKit(kit: string, area: string): Promise<void> {
  const copy = join(area, "java");
  await cp(kit, copy, { recursive: true, filter: (path) => !path.endsWith("/target") });
  const maven = ["--batch-mode", "--no-transfer-progress", "test"];
  const { stdout } = await expectCode(0, "mvn", maven, { cwd: copy });
  // A module whose tests were not found would pass.
  const tested = [...stdout.matchAll(/^\[.*INFO.*\] Tests run: [1-9]\d*, Failures: 0, Errors: 0, Skipped: 0$/gm)];
  if (tested.length < 3) throw new Error(stdout);
}
