import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { clientMark, killMarked } from "./marked-processes.ts";
import { identify, killExactly, type ProcessIdentity } from "./process-identity.ts";

/** A process that has left the session of its parent, which has ended. */
async function leftBehind(runId: string, client: string): Promise<ProcessIdentity> {
  const started = spawn("sh", ["-c", "setsid sh -c 'echo $$; exec sleep 600 >/dev/null' </dev/null 2>/dev/null &"], {
    env: { ...process.env, ...clientMark(runId, client) },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const [pid] = await Promise.all([text(started.stdout), once(started, "exit")]);
  const identity = identify(Number(pid));
  if (identity === undefined) throw new Error("the process has ended");
  onTestFinished(() => void killExactly(identity));
  return identity;
}

test.runIf(process.platform === "linux")(
  "what a client started is found in another session too, and no other's",
  async () => {
    const run = `test-${process.pid}`;
    const [mine, other, elsewhere] = [
      await leftBehind(run, "client-1"),
      await leftBehind(run, "client-10"),
      await leftBehind(`${run}0`, "client-1"),
    ];
    const living = (): readonly ProcessIdentity[] =>
      [mine, other, elsewhere].filter(({ pid, start }) => identify(pid)?.start === start);

    expect(killMarked(run, "client-1")).toBe(1);
    await vi.waitFor(() => expect(living()).toEqual([other, elsewhere]));
    expect(killMarked(run)).toBe(1);
    await vi.waitFor(() => expect(living()).toEqual([elsewhere]));
    expect(killMarked(run)).toBe(0);
  },
);
