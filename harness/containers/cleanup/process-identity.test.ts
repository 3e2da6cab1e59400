import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { identify, isAlive, killExactly, ownerState, thisProcess, type ProcessIdentity } from "./process-identity.ts";
import { groupState } from "../nodes/process-group.ts";

/** A process that lives until it is killed, and stands still if asked to. */
async function sleeper(): Promise<{ readonly identity: ProcessIdentity; readonly ended: Promise<unknown[]> }> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  await once(child, "spawn");
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (identity === undefined) throw new Error("the process did not start");
  return { identity, ended: once(child, "exit") };
}

test("a process is itself, and still itself later", () => {
  expect(identify(process.pid)).toEqual(identify(process.pid));
  expect(isAlive(thisProcess())).toBe(true);
});

test("a process of the same number with another start is somebody else and is not killed", async () => {
  const { identity, ended } = await sleeper();
  expect(killExactly({ ...identity, start: `${identity.start}0` })).toBe(false);
  expect(isAlive(identity)).toBe(true);
  expect(killExactly(identity)).toBe(true);
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test("a stopped process is alive and is killed", async () => {
  const { identity, ended } = await sleeper();
  process.kill(identity.pid, "SIGSTOP");
  expect(isAlive(identity)).toBe(true);
  expect(killExactly(identity)).toBe(true);
  await ended;
  expect(isAlive(identity)).toBe(false);
  expect(killExactly(identity)).toBe(false);
});

test("a process that leads a group is killed with all of it, stopped or not", async () => {
  const leader = spawn("sh", ["-c", "sleep 600 & echo $!; kill -STOP $! $$"], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [number] = (await once(leader.stdout, "data")) as [Buffer];
  const member = identify(Number(number));
  const identity = identify(leader.pid ?? 0);
  if (member === undefined || identity === undefined) throw new Error("the processes did not start");
  await vi.waitFor(() => expect(groupState(identity.pid)).toBe("paused"));
  expect(killExactly(identity)).toBe(true);
  await vi.waitFor(() => expect([groupState(identity.pid), isAlive(member)]).toEqual(["dead", false]));
});

test("a number that nobody has identifies nobody", () => {
  // Beyond the largest number that Linux gives away.
  expect(identify(2 ** 22 + 1)).toBeUndefined();
});

test("owners: alive here, dead here, dead by a reboot, foreign on another host or in another container", () => {
  const here = thisProcess();
  expect(ownerState(here)).toBe("alive");
  expect(ownerState({ ...here, start: "0" })).toBe("dead");
  expect(ownerState({ ...here, boot: "another" })).toBe("dead");
  expect(ownerState({ ...here, hostname: "another", boot: "another" })).toBe("foreign");
  expect(ownerState({ ...here, namespace: "another", start: "0" })).toBe("foreign");
});
