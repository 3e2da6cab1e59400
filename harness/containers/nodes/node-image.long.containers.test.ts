// @module-tag long
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { PassThrough } from "node:stream";
import type Dockerode from "dockerode";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ControlDirectory } from "./control.ts";
import { connectEngine } from "../engine/engine.ts";
import { describeWithEngine } from "../testing/engine-required.ts";
import { NODE_IMAGE } from "../setup/images.ts";
import { runLabels } from "../cleanup/labels.ts";
import { sweepRun } from "../cleanup/sweep.ts";

const AOF = "appendonlydir/appendonly.aof.1.incr.aof";
const RUN_ID = `test-node-image-${process.pid}`;

let engine: Dockerode;
let folder: string;

beforeEach(async () => {
  engine = await connectEngine();
  folder = await mkdtemp(join(tmpdir(), "lockstorm-test-"));
});

afterEach(async () => {
  await sweepRun(RUN_ID);
  await rm(folder, { recursive: true });
});

/** The trimmed output of a command inside the container; its exit code must be 0. */
async function exec(container: Dockerode.Container, ...command: readonly string[]): Promise<string> {
  const exec = await container.exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  const output = new PassThrough();
  container.modem.demuxStream(stream, output, output);
  stream.once("end", () => output.end());
  const written = (await text(output)).trim();
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`${command.join(" ")} exits with ${ExitCode}: ${written}`);
  return written;
}

async function startNode(command: readonly string[], configuration?: string) {
  const control = await ControlDirectory.create(join(folder, "node"), configuration);
  const container = await engine.createContainer({
    Image: NODE_IMAGE,
    Cmd: [...command],
    Labels: runLabels(RUN_ID),
    HostConfig: { Binds: [control.bind], CapAdd: ["NET_ADMIN"] },
  });
  await container.start();
  const port = command[0] === "sentinel" ? "26379" : "6379";
  const cli = (...words: readonly string[]): Promise<string> => exec(container, "cli", "-e", "-p", port, ...words);
  const ready = (): Promise<unknown> => vi.waitFor(() => cli("ping"), { timeout: 10_000, interval: 20 });
  const kill = async (): Promise<void> => {
    await container.kill();
    await container.wait();
  };
  await ready();
  return { control, container, cli, ready, kill };
}

describeWithEngine("the node image", () => {
  test("a jump of the clock is seen by the next command, forwards and back, and outlasts a restart", async () => {
    const { control, container, cli, ready, kill } = await startNode(["server", "--save", ""]);
    await cli("set", "k", "v", "px", "600000");
    const aheadMs = async (): Promise<number> => Number((await cli("time")).split("\n")[0]) * 1000 - Date.now();
    expect(Math.abs(await aheadMs())).toBeLessThan(3_000);

    await control.jumpClock(300_000);
    expect(Number(await cli("pttl", "k"))).toBeLessThanOrEqual(300_000);
    expect(Number(await cli("pttl", "k"))).toBeGreaterThan(290_000);
    expect(Math.abs((await aheadMs()) - 300_000)).toBeLessThan(3_000);

    await control.jumpClock(-400_000.5);
    expect(Number(await cli("pttl", "k"))).toBeGreaterThan(690_000);

    await kill();
    await container.start();
    await ready();
    expect(Math.abs((await aheadMs()) + 100_000)).toBeLessThan(3_000);
  });

  test.each([-500, 500])("a jump by %d ms carries from the fraction of a second to the second", async (jumpMs) => {
    const { control, container } = await startNode(["server"]);
    await control.jumpClock(jumpMs);
    const preload = "LD_PRELOAD=/usr/local/lib/lockstorm/clock.so LOCKSTORM_CLOCK=/control/clock-offset-us";
    // Spread over more than a second, so that the addition carries in some readings and not in others.
    const loop = `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do date +%s%N; ${preload} date +%s%N; sleep 0.1; done`;
    const readings = (await exec(container, "sh", "-c", loop)).split("\n");
    for (const [index, reading] of readings.entries()) {
      expect(reading).toMatch(/^\d{19}$/);
      if (index % 2 === 0) continue;
      const aheadMs = Number(BigInt(reading) - BigInt(readings[index - 1] ?? 0)) / 1e6;
      expect(Math.abs(aheadMs - jumpMs)).toBeLessThan(300);
    }
  });

  test("killed and started again it keeps its data; told to wipe it starts empty, once", async () => {
    const { control, container, cli, ready, kill } = await startNode(["server", "--appendonly", "yes"]);
    await cli("set", "k", "v");
    await kill();
    await container.start();
    await ready();
    expect(await cli("get", "k")).toBe("v");
    expect(await control.report()).toEqual([]);

    await kill();
    await control.beforeStart([{ kind: "wipe" }]);
    expect(await control.report()).toEqual([]);
    await container.start();
    await ready();
    expect(await cli("dbsize")).toBe("0");
    expect(await control.report()).toEqual([expect.stringMatching(/^wipe [1-9]/)]);

    await cli("set", "k", "w");
    await kill();
    await container.start();
    await ready();
    expect(await cli("get", "k")).toBe("w");
  });

  test("a power loss takes what was written after the noted size, and nothing before it", async () => {
    const { control, container, cli, ready, kill } = await startNode(["server", "--appendonly", "yes"]);
    await cli("set", "synced", "v");
    const size = Number(await exec(container, "stat", "-c", "%s", `/data/${AOF}`));
    await cli("set", "unsynced", "v");
    await vi.waitFor(async () =>
      expect(Number(await exec(container, "stat", "-c", "%s", `/data/${AOF}`))).toBeGreaterThan(size),
    );
    await kill();
    await control.beforeStart([{ kind: "truncate", file: AOF, bytes: size }]);
    await container.start();
    await ready();
    expect(await cli("get", "synced")).toBe("v");
    expect(await cli("exists", "unsynced")).toBe("0");
    const [report] = await control.report();
    const [before, after] =
      /^truncate \S+ (\d+) (\d+)$/
        .exec(report ?? "")
        ?.slice(1)
        .map(Number) ?? [];
    expect(before).toBeGreaterThan(size);
    expect(after).toBe(size);
  });

  test("a start that cannot carry out its instructions fails", async () => {
    const { control, container, kill } = await startNode(["server"]);
    await kill();
    await control.beforeStart([{ kind: "truncate", file: "no-such-file", bytes: 0 }]);
    await container.start();
    const { StatusCode } = (await container.wait()) as { readonly StatusCode: number };
    expect(StatusCode).not.toBe(0);
  });

  test("the server has no privileges, while an exec may set up a firewall", async () => {
    const { container } = await startNode(["server"]);
    const status = await exec(container, "cat", "/proc/1/status");
    expect(status).toMatch(/^Uid:\t[1-9]/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    await exec(container, "iptables", "-A", "INPUT", "-s", "192.0.2.1", "-j", "DROP");
    expect(await exec(container, "iptables", "-S", "INPUT")).toContain("-A INPUT -s 192.0.2.1/32 -j DROP");
  });

  test("a Sentinel finds after a restart what it wrote into its configuration", async () => {
    const configuration = "port 26379\nsentinel monitor lockstorm 192.0.2.1 6379 2\n";
    const { container, cli, ready, kill } = await startNode(["sentinel"], configuration);
    const id = await cli("sentinel", "myid");
    expect(id).toMatch(/^[0-9a-f]{40}$/);
    await cli("sentinel", "set", "lockstorm", "down-after-milliseconds", "777");
    await kill();
    await container.start();
    await ready();
    expect(await cli("sentinel", "myid")).toBe(id);
    expect(await cli("sentinel", "master", "lockstorm")).toContain("down-after-milliseconds\n777");
  });
});
