import net, { type AddressInfo, type Socket } from "node:net";
import type { Kernel } from "../../kernel/kernel.ts";
import { Network } from "../network.ts";

/** One connection as a test's server sees it, real or simulated. */
interface PeerConnection {
  write(bytes: Uint8Array): void;
  /** Sends no more, goes on receiving. */
  end(): void;
  /** Sends and receives no more. */
  close(): void;
  reset(): void;
}

/** A test's server, the same in the real network and in the simulated one. */
export interface PeerServer {
  onConnect?(connection: PeerConnection): void;
  onData?(connection: PeerConnection, bytes: Uint8Array): void;
  onEnd?(connection: PeerConnection): void;
  onClose?(): void;
}

export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

/** Runs `client` against a real server on loopback. */
export async function againstReal(server: PeerServer, client: (address: PeerAddress) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  const listener = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    const connection: PeerConnection = {
      write: (bytes) => void socket.write(bytes),
      end: () => void socket.end(),
      close: () => socket.destroySoon(),
      reset: () => void socket.resetAndDestroy(),
    };
    socket.on("data", (bytes) => server.onData?.(connection, bytes));
    socket.on("end", () => (server.onEnd === undefined ? socket.end() : server.onEnd(connection)));
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      server.onClose?.();
    });
    server.onConnect?.(connection);
  });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  try {
    await client({ host: "127.0.0.1", port: (listener.address() as AddressInfo).port });
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void listener.close(resolve));
    // Handles are closed at the very end of a turn of the event loop.
    await new Promise((resolve) => void setImmediate(resolve));
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

/** Runs `client` in a host of `kernel` against a service. Throws uncaught errors of the program. */
export async function againstSimulated(
  kernel: Kernel,
  server: PeerServer,
  client: (address: PeerAddress) => Promise<void>,
): Promise<void> {
  const network = new Network(kernel);
  const [clientHost, serverHost] = [kernel.host("client"), kernel.host("server", { runs: "service" })];
  network.add(clientHost);
  const host = network.add(serverHost);
  network.listen(serverHost, 7000, {
    onConnect: (connection) => {
      server.onConnect?.(connection);
      return {
        onData: (bytes) => server.onData?.(connection, bytes),
        onEnd: () => (server.onEnd === undefined ? connection.close() : server.onEnd(connection)),
        onClose: () => server.onClose?.(),
      };
    },
  });
  const task = clientHost.spawn("client", () => client({ host, port: 7000 }));
  const end = await kernel.run({ done: () => task.state !== "running" });
  const [failure] = clientHost.failures;
  if (failure !== undefined) throw failure.error;
  if (end !== "done") throw new Error(`the client did not come to its end: ${end}`);
}
