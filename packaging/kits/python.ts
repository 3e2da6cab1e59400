import { deepEqual } from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expectCode } from "../steps.ts";

/** Runs the tests of the Python kit with pytest, in a virtual environment in `area`. */
export async function testPythonKit(kit: string, area: string): Promise<void> {
  const python = join(area, "python", "bin", "python");
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
  await expectCode(0, "python3", ["-m", "venv", join(area, "python")], { cwd: kit });
  const requirements = ["-r", join("locks", "requirements.txt"), "pytest==9.2.0"];
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  await expectCode(0, python, [...pip, ...requirements], { cwd: kit });
  const before = await readdir(kit, { recursive: true });
  await expectCode(0, python, [...pip, kit], { cwd: area });
  deepEqual(await readdir(kit, { recursive: true }), before, "pip left something in the kit");
  const { stdout } = await expectCode(0, python, ["-m", "pytest", "-q", "-p", "no:cacheprovider"], { cwd: kit, env });
  // Tests of locks whose packages are missing would be skipped.
  if (/skipped/.test(stdout)) throw new Error(stdout);
}
