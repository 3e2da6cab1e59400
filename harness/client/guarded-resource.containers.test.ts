import { once } from "node:events";
import { connect } from "node:net";
import { vi } from "vitest";
import type { Address } from "../core/lock-driver.ts";
import { connectEngine } from "../containers/engine/engine.ts";
import { describeWithEngine } from "../containers/testing/engine-required.ts";
import { NODE_IMAGE } from "../containers/setup/images.ts";
import { runLabels } from "../containers/cleanup/labels.ts";
import { sweepRun } from "../containers/cleanup/sweep.ts";
import { testGuardedResource } from "./testing/guarded-resource-suite.ts";

const RUN_ID = `test-guarded-resource-${process.pid}`;

/** The server that runs use, published on loopback. */
async function startServer(): Promise<AsyncDisposable & { readonly address: Address }> {
  const engine = await connectEngine();
  const container = await engine.createContainer({
    Image: NODE_IMAGE,
    Cmd: ["server", "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--protected-mode", "no"],
    Labels: runLabels(RUN_ID),
    ExposedPorts: { "6379/tcp": {} },
    HostConfig: { PortBindings: { "6379/tcp": [{ HostIp: "127.0.0.1", HostPort: "0" }] } },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  const port = Number(NetworkSettings.Ports["6379/tcp"]?.[0]?.HostPort);
  const address = { host: "127.0.0.1", port };
  await vi.waitFor(() => ping(address), { timeout: 10_000, interval: 20 });
  return { address, [Symbol.asyncDispose]: () => sweepRun(RUN_ID).then(() => {}) };
}

/** Rejects unless the server behind the published port answers. */
async function ping({ host, port }: Address): Promise<void> {
  const socket = connect(port, host);
  try {
    await once(socket, "connect");
    socket.write("PING\r\n");
    const [answer] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [Buffer | boolean];
    if (String(answer) !== "+PONG\r\n") throw new Error(`PING was answered by ${String(answer)}`);
  } finally {
    socket.destroy();
  }
}

describeWithEngine("the guarded resource on the server that runs use", () => {
  testGuardedResource(startServer);
});
