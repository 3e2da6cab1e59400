import "../platform/install.ts";
import net from "node:net";
import { expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";
import { Network } from "./network.ts";
import type { ServiceConnection } from "./service.ts";

test("a program that does not read holds up what is sent to it, and takes it when it reads again", async () => {
  const kernel = new Kernel({ seed: 1 });
  const network = new Network(kernel);
  const [client, server] = [kernel.host("client-0"), kernel.host("node-0", { runs: "service" })];
  network.add(client);
  network.add(server);
  let accepted: ServiceConnection | undefined;
  network.listen(server, 7000, {
    onConnect: (connection) => {
      accepted = connection;
      for (let index = 0; index < 40; index += 1) connection.write(Buffer.alloc(100_000));
      return { onData: () => {} };
    },
  });
  const unread: (number | undefined)[] = [];
  const task = client.spawn("main", async () => {
    const socket = net.connect({ host: "node-0", port: 7000, readableHighWaterMark: 16_384 } as net.NetConnectOpts);
    let length = 0;
    socket.once("data", (bytes) => {
      length += bytes.length;
      socket.pause();
      socket.on("data", (more) => (length += more.length));
      socket.pause();
      setTimeout(() => socket.resume(), 100);
    });
    await new Promise((resolve) => void setTimeout(resolve, 200));
    socket.destroy();
    return length;
  });
  kernel.at(50_000, "look", () => unread.push(accepted?.unreadBytes));
  kernel.at(150_000, "look", () => unread.push(accepted?.unreadBytes));
  await kernel.run();
  expect(task.value).toBe(4_000_000);
  expect(unread[0]).toBeGreaterThan(3_800_000);
  expect(unread[1]).toBe(0);
});
