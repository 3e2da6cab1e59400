import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Address } from "../../core/lock-driver.ts";

/** Whether this machine has a Redis server of its own. */
export function hasLocalRedis(): boolean {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** An empty Redis server on this machine, on a port of its own; disposing it ends it. */
export class LocalRedis implements AsyncDisposable {
  readonly address: Address;
  readonly #stop: () => Promise<void>;

  private constructor(address: Address, stop: () => Promise<void>) {
    this.address = address;
    this.#stop = stop;
  }

  static async start(): Promise<LocalRedis> {
    const folder = await mkdtemp(join(tmpdir(), "lockstorm-redis-"));
    const address = { host: "127.0.0.1", port: await freePort() };
    const words = ["--port", String(address.port), "--bind", address.host, "--dir", folder, "--save", ""];
    const server = spawn("redis-server", words, { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(server, "exit");
    for await (const line of createInterface({ input: server.stdout })) {
      if (!line.includes("Ready to accept connections")) continue;
      server.stdout.resume();
      return new LocalRedis(address, async () => {
        server.kill("SIGKILL");
        await exited;
        await rm(folder, { recursive: true });
      });
    }
    throw new Error("redis-server ended before it was ready");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
