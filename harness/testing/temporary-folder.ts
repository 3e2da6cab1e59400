import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives all tests of a run, and the processes that they start, one folder for temporary files, and removes it after them: also
 * what a test that failed, or the process that it ended, could not remove.
 */
export default function ownTemporaryFolder(): () => void {
  const former = process.env["TMPDIR"];
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-tests-"));
  process.env["TMPDIR"] = folder;
  return () => {
    if (former === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = former;
    rmSync(folder, { recursive: true, force: true });
  };
}
