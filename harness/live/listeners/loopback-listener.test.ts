import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { LoopbackListener } from "./loopback-listener.ts";

async function opened(port = 0): Promise<LoopbackListener> {
  const listener = await LoopbackListener.open(port, () => {});
  onTestFinished(() => listener[Symbol.asyncDispose]());
  return listener;
}

test.runIf(process.platform === "linux")(
  "no connection is given the port of a listener that is closed and will open again",
  async () => {
    const first = Number.parseInt(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8"), 10);
    const listeners = await Promise.all(Array.from({ length: 20 }, () => opened()));
    const ports = listeners.map(({ address }) => address.port);
    expect(ports.filter((port) => port >= first)).toEqual([]);
    expect(new Set(ports).size).toBe(20);
    for (const listener of listeners) {
      listener.close();
      listener.open();
      await listener.opened;
    }
    expect(listeners.map(({ address }) => address.port)).toEqual(ports);
  },
);

test("a port that was asked for and is taken is named", async () => {
  const { port } = (await opened()).address;
  await expect(opened(port)).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
});
