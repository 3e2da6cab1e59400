import "../../platform/install.ts";
import crypto from "node:crypto";
import { Redis } from "ioredis";
import { Kernel } from "../../kernel/kernel.ts";
import { Network } from "../network.ts";
import { tinyRedis } from "./tiny-redis.ts";

export interface StormyRun {
  readonly hash: string;
  readonly events: number;
  readonly timeUs: number;
  /** Operations that clients completed. */
  readonly completed: number;
}

/**
 * One simulation with everything in it: clients with ioredis, timers, randomness, a wrong clock, pauses, cuts, resets
 * and a restart. `operations` are per client; there are two.
 */
export async function stormyRun(seed: number, operations = 5, onTrace?: (line: string) => void): Promise<StormyRun> {
  const kernel = new Kernel({ seed, ...(onTrace === undefined ? {} : { onTrace }) });
  const network = new Network(kernel);
  const server = kernel.host("node-0", { runs: "service" });
  network.add(server);
  network.listen(server, 6379, tinyRedis());
  let completed = 0;
  const clients = ["client-0", "client-1"].map((name, index) => kernel.host(name, { offsetUs: index * 777_000 }));
  const tasks = clients.map((host) => {
    network.add(host);
    return host.spawn("main", async () => {
      const redis = new Redis({ host: "node-0", port: 6379, commandTimeout: 300, maxRetriesPerRequest: 2 });
      redis.on("error", () => {});
      for (let index = 0; index < operations; index += 1) {
        await redis
          .set(`key-${Math.floor(Math.random() * 3)}`, `${crypto.randomUUID()} ${Date.now()}`)
          .then(() => (completed += 1))
          .catch(() => {});
        await new Promise((resolve) => void setTimeout(resolve, crypto.randomInt(1, 30)));
      }
      redis.disconnect();
    });
  });
  const storm = kernel.random("storm");
  const [first, second] = clients;
  if (first !== undefined && second !== undefined) {
    const link = network.link(second, server);
    kernel.at(storm.integer(1000, 40_000), "pause", () => first.pause(storm.integer(1000, 60_000)));
    kernel.at(storm.integer(1000, 40_000), "cut", () => {
      link.cut = true;
      kernel.after(storm.integer(1000, 60_000), "heal", () => link.heal());
    });
    kernel.at(storm.integer(1000, 40_000), "reset", () => void network.reset(first, server));
  }
  await kernel.run({ done: () => tasks.every((task) => task.state !== "running") });
  const failure = clients.flatMap((host) => host.failures)[0];
  if (failure !== undefined) throw failure.error;
  return { hash: kernel.hash(), events: kernel.events, timeUs: kernel.now, completed };
}

if (process.argv[1] === import.meta.filename) {
  console.log(JSON.stringify(await stormyRun(Number(process.argv[2]), Number(process.argv[3]))));
}
