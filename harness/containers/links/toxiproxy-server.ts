import { createServer } from "node:net";
import { Toxiproxy } from "toxiproxy-node-client";
import { messageOf, UserError } from "../../core/errors.ts";
import { awaitCondition } from "../engine/await-condition.ts";
import type { MonitoredContainer } from "../nodes/death-watch.ts";
import type { WatchedContainer } from "../freeze-watch.ts";
import { TOXIPROXY_IMAGE } from "../setup/images.ts";
import { startContainer } from "../engine/run-container.ts";

/** As for the other containers: a busy machine may take seconds to schedule what has been started. */
const STARTUP_DEADLINE_MS = 30_000;

/** A running Toxiproxy server. No fault ends or stops it. */
export interface ToxiproxyServer extends MonitoredContainer, WatchedContainer {
  /** The base URL of its own interface, `http://127.0.0.1:8474`. */
  readonly api: string;
}

/**
 * Starts the Toxiproxy server on the host's own network, where it listens only on loopback. To publish its ports
 * instead, they would have to be known in advance, and the engine takes 45 ms to withdraw each (measured: 32 ports, 1.5
 * s).
 * @param port for its own interface, which must be free
 */
export async function startToxiproxy(labels: Readonly<Record<string, string>>, port: number): Promise<ToxiproxyServer> {
  const container = await startContainer({
    image: TOXIPROXY_IMAGE,
    command: ["-host", "127.0.0.1", "-port", String(port)],
    labels,
    place: "host",
    // It only listens on high ports of loopback, so it runs as an unprivileged user.
    capabilities: [],
    user: "65534:65534",
  });
  const api = `http://127.0.0.1:${port}`;
  await awaitCondition("Toxiproxy answers", STARTUP_DEADLINE_MS, async (saw) => {
    try {
      return await new Toxiproxy(api).getVersion();
    } catch (error) {
      saw(messageOf(error));
      return undefined;
    }
  });
  return {
    name: "Toxiproxy",
    containerId: container.getId(),
    expectedState: "running",
    isExpectedDeath: () => false,
    isExpectedPause: () => false,
    api,
  };
}

/**
 * The port, if nobody listens on it; for 0, one that the kernel chooses.
 * @throws UserError when it is taken
 */
export function freePort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => {
      reject(
        new UserError(
          `port ${port} on 127.0.0.1 cannot be used: ${messageOf(error)}`,
          "choose another with --proxy-port",
          { cause: error },
        ),
      );
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}
