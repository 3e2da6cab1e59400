import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { describeWorker } from "./describe-worker.ts";

/** Whether a process lives; one that has ended and that nobody has waited for does not. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false;
  }
}

test.runIf(process.platform === "linux").each([
  ["was described", "", "extend"],
  ["could not be used", "refuse", "no licence for this lock"],
])("a worker that %s leaves no process in another session", async (_, mistake, words) => {
  const folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
  const left = join(folder, "pid");
  let pid: number | undefined;
  onTestFinished(() => {
    if (pid !== undefined && lives(pid)) process.kill(pid, "SIGKILL");
    rmSync(folder, { recursive: true });
  });
  const apart = `setsid sh -c 'echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 600' "$0" </dev/null >/dev/null 2>&1 &`;
  const script = `${apart} while [ ! -e "$0" ]; do sleep 0.01; done; exec python3 testing/worker.py ${mistake}`;
  const command = { program: "sh", arguments: ["-c", script, left], environment: {}, directory: import.meta.dirname };
  const described = await describeWorker({ name: "a", command, topologies: ["single"], limits: [] }).then(
    (capabilities) => JSON.stringify(capabilities),
    String,
  );
  expect(described).toContain(words);
  pid = Number(readFileSync(left, "utf8"));
  await vi.waitFor(() => expect(lives(Number(readFileSync(left, "utf8")))).toBe(false));
});
