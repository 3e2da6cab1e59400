import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UserError } from "../../core/errors.ts";
import { RESOURCE } from "../../core/topology.ts";
import { clientClockLibrary } from "./client-clock.ts";
import { ClientProcess } from "./client-process.ts";
import { ControlDirectory } from "../nodes/control.ts";
import { kernelState } from "../nodes/kernel-state.ts";
import { childrenOf } from "../nodes/process-group.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { RunClock } from "../run-clock.ts";
import { useServers } from "../testing/servers.ts";

/** A driver in a file, as a user writes one; `body` is the body of its `acquire`. */
function driverModule(body: string, connect = ""): string {
  return `export const driver = { async connect(environment) {
    ${connect}
    return {
      acquire: async (key, options) => { ${body} },
      release: async () => ({ type: "ok", value: { released: true } }),
      [Symbol.asyncDispose]: async () => {},
    };
  } };`;
}

const GRANT = `return { type: "ok", value: { key, owner: "o-" + Date.now() } };`;
const NEVER = `return new Promise(() => {});`;

describeWithEngine("a client process", () => {
  const servers = useServers({ kind: "single" });
  let folder: string;
  let client: ClientProcess;
  let logFile: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
    logFile = join(folder, "client-0.log");
    const { library } = await clientClockLibrary();
    client = ClientProcess.start({
      name: "client-0",
      runId: "test-client-process",
      clock: new RunClock(),
      control: await ControlDirectory.create(join(folder, "client-0")),
      clockLibrary: library,
      logFile,
    });
  });

  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  function connect(source: string): Promise<void> {
    const lock = join(folder, "driver.mjs");
    writeFileSync(lock, source);
    return client.connect({
      lock,
      servers: { kind: "single", address: servers().address("node-0") },
      resource: servers().address(RESOURCE),
      checks: { fencing: true, versions: false },
    });
  }

  const acquire = () => client.perform({ op: "acquire", key: "k", ttlMs: 1_000, waitMs: 0 });

  test("performs what it is asked for with the driver of a file", async () => {
    await connect(driverModule(GRANT));
    expect(await acquire()).toEqual({ ok: true, owner: expect.stringMatching(/^o-/), grantedAt: expect.any(Number) });
    expect(await client.perform({ op: "read", key: "k" })).toEqual({ ok: true, position: 0 });
  });

  test("that is paused answers after it was resumed", async () => {
    await connect(driverModule(GRANT));
    expect(await client.pause()).toEqual({ observed: true, detail: `process ${client.pid} of client-0 is paused` });
    expect([await client.state(), client.expectedState]).toEqual(["paused", "paused"]);
    const answered = vi.fn();
    const asked = acquire().then(answered);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).not.toHaveBeenCalled();
    expect(await client.resume()).toEqual({ observed: true, detail: `process ${client.pid} of client-0 is running` });
    await asked;
    expect(answered).toHaveBeenCalledWith(expect.objectContaining({ ok: true }));
  });

  test("that is killed, even while it is paused, leaves what it was at indeterminate", async () => {
    await connect(driverModule(NEVER));
    const ends: string[] = [];
    client.onEnd((how) => ends.push(how));
    const asked = acquire();
    await client.pause();
    expect(await client.kill()).toEqual({ observed: true, detail: "client-0 is dead" });
    expect(await asked).toEqual({ ok: false, kind: "indeterminate", reason: expect.stringContaining("SIGKILL") });
    expect(await client.state()).toBe("dead");
    expect(await acquire()).toMatchObject({ ok: false, kind: "error" });
    expect(await client.kill()).toMatchObject({ observed: true });
    expect(await client.pause()).toMatchObject({ observed: false });
    expect(ends).toEqual([expect.stringContaining(logFile)]);
    expect(client.expectedState).toBe("dead");
  });

  test("has a clock of its own that jumps, forwards and back; its timers do not notice", async () => {
    await connect(driverModule(`await new Promise((resolve) => setTimeout(resolve, 50)); ${GRANT}`));
    const clockAheadMs = async (): Promise<number> => {
      const reply = await acquire();
      return Number(reply.ok && reply.owner?.slice(2)) - Date.now();
    };
    expect(await client.jumpClock(11_000)).toEqual({
      observed: true,
      detail: expect.stringMatching(/^the clock of client-0 was -?\d{1,2} ms off, then 1[01],\d{3} ms$/),
    });
    expect(Math.abs((await clockAheadMs()) - 11_000)).toBeLessThan(1_000);
    expect(await client.jumpClock(-71_000)).toMatchObject({ observed: true });
    expect(Math.abs((await clockAheadMs()) + 60_000)).toBeLessThan(1_000);
  });

  test("whose clock jumps while it is paused is not believed to have noticed, and has it when it wakes", async () => {
    await connect(driverModule(GRANT));
    await client.pause();
    expect(await client.jumpClock(5_000)).toMatchObject({ observed: false });
    await client.resume();
    expect(await client.jumpClock(1_000)).toMatchObject({
      detail: expect.stringMatching(/was (?:4,9|5,0)\d\d ms off/),
    });
  });

  test("whose driver cannot connect is one clear error", async () => {
    const failure = connect(driverModule(GRANT, `throw new Error("no licence\\nfor this lock");`));
    await expect(failure).rejects.toThrow("the lock of client-0 could not connect: no licence for this lock");
    await expect(failure).rejects.toBeInstanceOf(UserError);
  });

  test("whose driver ends the process while it connects is one clear error, with where it may have said why", async () => {
    const failure = connect(driverModule(GRANT, `console.error("farewell"); process.exit(7);`));
    await expect(failure).rejects.toEqual(
      new UserError(
        "the lock of client-0 ended its process before it was ready: exit code 7",
        `fix its driver; what it printed is in ${logFile}`,
      ),
    );
    expect(readFileSync(logFile, "utf8")).toBe("farewell\n");
  });

  test("whose driver prints, with and without line feeds, is understood all the same", async () => {
    await connect(driverModule(`console.log("{}"); process.stdout.write("no line feed"); ${GRANT}`));
    expect(await acquire()).toMatchObject({ ok: true });
    expect(await acquire()).toMatchObject({ ok: true });
    expect(readFileSync(logFile, "utf8")).toBe("{}\nno line feed{}\nno line feed");
  });

  test("of a lock in another language is stopped, skewed and ended with the process that the lock is", async () => {
    const lock = join(folder, "a.worker.json");
    const words = [join(import.meta.dirname, "../../external/testing/worker.py")];
    writeFileSync(lock, JSON.stringify({ command: { program: "python3", arguments: words }, topologies: ["single"] }));
    await client.connect({
      lock,
      servers: { kind: "single", address: servers().address("node-0") },
      resource: servers().address(RESOURCE),
      checks: { fencing: true, versions: false },
    });
    expect(await acquire()).toMatchObject({ ok: true, validForMs: 1_000 });
    expect(await client.jumpClock(11_000)).toMatchObject({ observed: true });
    const [worker = 0] = childrenOf(client.pid ?? 0);
    expect(await client.pause()).toMatchObject({ observed: true });
    expect([kernelState(client.pid ?? 0), kernelState(worker)]).toEqual(["paused", "paused"]);
    expect(await client.kill()).toEqual({ observed: true, detail: "client-0 is dead" });
    expect(kernelState(worker)).toBe("dead");
  });

  test("that dies by itself says so, and leaves its stack in the log", async () => {
    await connect(driverModule(`setTimeout(() => { throw new Error("a bug"); }, 10); ${NEVER}`));
    const { promise: end, resolve } = Promise.withResolvers<string>();
    client.onEnd(resolve);
    expect(await acquire()).toMatchObject({ ok: false, kind: "indeterminate" });
    expect(await end).toBe(`exit code 1; what it printed is in ${logFile}`);
    expect(client.expectedState).toBe("running");
    expect(readFileSync(logFile, "utf8")).toContain("Error: a bug");
  });

  test("tells of a lease that its lock has lost", async () => {
    const source = driverModule(GRANT).replace(
      "release:",
      "onLost: (tell) => tell({ key: 'k', owner: 'o' }), release:",
    );
    const lost = vi.fn();
    client.onLost(lost);
    await connect(source);
    await vi.waitFor(() => expect(lost).toHaveBeenCalledWith(expect.objectContaining({ key: "k", owner: "o" })));
  });
});
