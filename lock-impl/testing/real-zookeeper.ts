import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Dockerode from "dockerode";
import { awaitCondition } from "../../harness/containers/engine/await-condition.ts";
import { ControlDirectory } from "../../harness/containers/nodes/control.ts";
import { connectEngine } from "../../harness/containers/engine/engine.ts";
import { ZOOKEEPER_IMAGE } from "../../harness/containers/setup/images.ts";
import { runLabels } from "../../harness/containers/cleanup/labels.ts";
import { zookeeperServer } from "../../harness/containers/servers/zookeeper-server.ts";
import { sweepRun } from "../../harness/containers/cleanup/sweep.ts";
import { freePort } from "../../harness/containers/links/toxiproxy-server.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import type { Address } from "../../harness/core/lock-driver.ts";

const START_WITHIN_MS = 30_000;
let started = 0;

/** A separate ZooKeeper for a test, on a free port of loopback. */
export class RealZooKeeper implements AsyncDisposable {
  readonly address: Address;
  readonly control: ControlDirectory;
  readonly #runId: string;
  readonly #folder: string;
  readonly #container: Dockerode.Container;

  private constructor(
    address: Address,
    place: { readonly runId: string; readonly folder: string },
    control: ControlDirectory,
    container: Dockerode.Container,
  ) {
    this.address = address;
    this.control = control;
    this.#runId = place.runId;
    this.#folder = place.folder;
    this.#container = container;
  }

  static async start(): Promise<RealZooKeeper> {
    started += 1;
    const runId = `test-zookeeper-${process.pid}-${started}`;
    const folder = await mkdtemp(join(tmpdir(), "lockstorm-test-"));
    const address = { host: "127.0.0.1", port: await freePort(0) };
    const config = { clientPort: String(address.port), clientPortAddress: address.host };
    const configuration = zookeeperServer.configuration(topologySchema.parse({ kind: "zookeeper", config }));
    const control = await ControlDirectory.create(join(folder, "node"), configuration);
    const engine = await connectEngine();
    const container = await engine.createContainer({
      Image: ZOOKEEPER_IMAGE,
      Cmd: ["server"],
      Labels: runLabels(runId),
      HostConfig: { NetworkMode: "host", Binds: [control.bind] },
    });
    await using stack = new AsyncDisposableStack();
    const zookeeper = stack.use(new RealZooKeeper(address, { runId, folder }, control, container));
    await container.start();
    await zookeeper.ready();
    stack.move();
    return zookeeper;
  }

  async ready(): Promise<void> {
    using access = await zookeeperServer.access("the test's ZooKeeper", this.address);
    await awaitCondition("the test's ZooKeeper answers", START_WITHIN_MS, async (saw) => {
      try {
        await access.ready();
        return true;
      } catch (error) {
        saw(String(error));
        return undefined;
      }
    });
  }

  /** SIGKILL of the server, and a start with what its disk kept. */
  async restart(): Promise<void> {
    await this.#container.kill();
    await this.#container.wait();
    await this.#container.start();
    await this.ready();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await sweepRun(this.#runId);
    await rm(this.#folder, { recursive: true });
  }
}
