import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { awaitCondition } from "../../../containers/engine/await-condition.ts";
import { connectEngine } from "../../../containers/engine/engine.ts";
import { nodeImage } from "../../../containers/setup/images.ts";
import { runLabels } from "../../../containers/cleanup/labels.ts";
import { sweepRun } from "../../../containers/cleanup/sweep.ts";
import type { RedisVersion } from "../server.ts";
import { ClockFile } from "./clock-file.ts";
import { RealConnection } from "./real-connection.ts";

const SOURCE = join(import.meta.dirname, "frozen-clock.c");
const START_US = 1_700_000_000_000_000;

/** A real server in a container whose wall clock stands still until it is set. */
export class RealServer implements AsyncDisposable {
  readonly version: RedisVersion;
  readonly host = "127.0.0.1";
  readonly port: number;
  readonly clock: ClockFile;
  readonly #resources: AsyncDisposableStack;

  private constructor(version: RedisVersion, port: number, clock: ClockFile, resources: AsyncDisposableStack) {
    this.version = version;
    this.port = port;
    this.clock = clock;
    this.#resources = resources;
  }

  /** Starts one. Needs the engine, the image of that server, and a C compiler. */
  static async start(version: RedisVersion): Promise<RealServer> {
    await using resources = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "lockstorm-test-"));
    resources.defer(() => rm(folder, { recursive: true }));
    await promisify(execFile)("cc", ["-O2", "-shared", "-fPIC", "-o", join(folder, "frozen-clock.so"), SOURCE]);
    const clock = resources.use(new ClockFile(join(folder, "clock"), START_US));
    const runId = `test-differential-${version}-${process.pid}`;
    const engine = await connectEngine();
    resources.defer(async () => void (await sweepRun(runId)));
    const container = await engine.createContainer({
      Image: nodeImage(version === "8.0.2" ? "redis8" : "redis7").name,
      Entrypoint: ["server"],
      Cmd: ["--save", "", "--protected-mode", "no", "--enable-debug-command", "yes"],
      Env: ["LD_PRELOAD=/frozen/frozen-clock.so", "FROZEN_CLOCK=/frozen/clock"],
      Labels: runLabels(runId),
      ExposedPorts: { "6379/tcp": {} },
      HostConfig: {
        Binds: [`${folder}:/frozen`],
        PortBindings: { "6379/tcp": [{ HostIp: "127.0.0.1", HostPort: "" }] },
      },
    });
    await container.start();
    const { NetworkSettings } = await container.inspect();
    const port = Number(NetworkSettings.Ports["6379/tcp"]?.[0]?.HostPort);
    await awaitCondition(`Redis ${version} answers`, 20_000, () => answers(port));
    return new RealServer(version, port, clock, resources.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

async function answers(port: number): Promise<true | undefined> {
  try {
    await using connection = await RealConnection.open("127.0.0.1", port);
    return (await connection.ask([["ping"]])).join("") === "+PONG\r\n" ? true : undefined;
  } catch {
    // Not yet: the port is published before the server listens behind it.
    return undefined;
  }
}
