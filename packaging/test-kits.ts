/**
 * `npm run test:kits`: runs the tests of the kits of other languages in their own test runners, with the packages that their
 * locks need, in folders that are removed afterwards.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expectCode, step } from "./steps.ts";

const kits = fileURLToPath(new URL("../kits", import.meta.url));
const area = mkdtempSync(join(tmpdir(), "lockstorm-kits-"));

try {
  await step("tests the Python kit", async () => {
    const cwd = join(kits, "python");
    const python = join(area, "python", "bin", "python");
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
    await expectCode(0, "python3", ["-m", "venv", join(area, "python")], { cwd });
    const requirements = ["-r", join("locks", "requirements.txt"), "pytest==9.2.0"];
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...requirements];
    await expectCode(0, python, pip, { cwd });
    const { stdout } = await expectCode(0, python, ["-m", "pytest", "-q", "-p", "no:cacheprovider"], { cwd, env });
    // Tests of locks whose packages are missing would be skipped.
    if (/skipped/.test(stdout)) throw new Error(stdout);
  });
} finally {
  rmSync(area, { recursive: true });
}
