/** The cost of the simulation without the simulated Redis. */
import "../platform/install.ts";
import net from "node:net";
import { Redis } from "ioredis";
import type { Benchmark } from "../../bench/benchmark.ts";
import type { Table } from "../../bench/table.ts";
import { Network } from "../network/network.ts";
import { tinyRedis } from "../network/testing/tiny-redis.ts";
import { Kernel } from "./kernel.ts";

const ROUNDS = 5;

interface Measurement {
  readonly name: string;
  readonly unit: string;
  /** Does the work and returns its amount. */
  readonly run: (round: number) => Promise<number>;
}

/** Events of a service's host that each cause the next: the minimum cost of an event. */
async function serviceEvents(): Promise<number> {
  const kernel = new Kernel({ seed: 1 });
  const host = kernel.host("node-0", { runs: "service" });
  const again = (): void => void (kernel.events < 200_000 && host.io(1, "again", again));
  again();
  await kernel.run();
  return kernel.events;
}

/** Timers of a program: each is a step, with ticks and microtasks to drain. */
async function programSteps(): Promise<number> {
  const kernel = new Kernel({ seed: 1 });
  kernel.host("client-0").spawn("main", async () => {
    for (let index = 0; index < 50_000; index += 1) await new Promise((resolve) => void setTimeout(resolve, 1));
  });
  await kernel.run();
  return kernel.events;
}

function world(seed: number): { readonly kernel: Kernel; readonly network: Network } {
  const kernel = new Kernel({ seed });
  const network = new Network(kernel);
  const server = kernel.host("node-0", { runs: "service" });
  network.add(server);
  network.listen(server, 6379, tinyRedis());
  network.listen(server, 7000, { onConnect: (connection) => ({ onData: (bytes) => connection.write(bytes) }) });
  return { kernel, network };
}

/** Sockets that connect, are closed by their client, and see the server close. */
async function connections(seed: number): Promise<number> {
  const { kernel, network } = world(seed);
  const host = kernel.host("client-0");
  network.add(host);
  host.spawn("main", async () => {
    for (let index = 0; index < 3000; index += 1) {
      const socket = net.connect(7000, "10.0.0.1");
      socket.on("connect", () => socket.end());
      socket.resume();
      await new Promise((resolve) => void socket.once("close", resolve));
    }
  });
  await kernel.run();
  return 3000;
}

/** Requests over one bare socket, each answered before the next. */
async function requests(seed: number): Promise<number> {
  const { kernel, network } = world(seed);
  const host = kernel.host("client-0");
  network.add(host);
  host.spawn("main", async () => {
    const socket = net.connect(7000, "10.0.0.1");
    for (let index = 0; index < 20_000; index += 1) {
      socket.write("request");
      await new Promise((resolve) => void socket.once("data", resolve));
    }
    socket.destroy();
  });
  await kernel.run();
  return 20_000;
}

/** Clients made by `new Redis`, ready (HELLO, CLIENT SETINFO, INFO) and disconnected. */
async function redisClients(seed: number): Promise<number> {
  await redisProgram(seed, 1000, 0);
  return 1000;
}

/** Commands over one ioredis client, each answered before the next. */
async function redisCommands(seed: number): Promise<number> {
  await redisProgram(seed, 1, 10_000);
  return 10_000;
}

/** Whole simulations: two clients with five operations each and timers between, set-up and tear-down included. */
async function wholeRuns(round: number): Promise<number> {
  for (let index = 0; index < 500; index += 1) await redisProgram(round * 500 + index, 1, 5, 2);
  return 500;
}

async function redisProgram(seed: number, clients: number, commands: number, hosts = 1): Promise<void> {
  const { kernel, network } = world(seed);
  const tasks = Array.from({ length: hosts }, (_, index) => {
    const host = kernel.host(`client-${index}`);
    network.add(host);
    return host.spawn("main", async () => {
      for (let client = 0; client < clients; client += 1) {
        const redis = new Redis(6379, "10.0.0.1");
        await new Promise((resolve) => void redis.once("ready", resolve));
        for (let command = 0; command < commands; command += 1) {
          await redis.incr("counter");
          if (hosts > 1) await new Promise((resolve) => void setTimeout(resolve, 10));
        }
        redis.disconnect();
        await new Promise((resolve) => void redis.once("end", resolve));
      }
    });
  });
  await kernel.run();
  for (const task of tasks) if (task.state !== "done") throw new Error(`a client's program is ${task.state}`);
}

const measurements: readonly Measurement[] = [
  { name: "events of a service", unit: "events/s", run: serviceEvents },
  { name: "steps of a program (timer, promise)", unit: "steps/s", run: programSteps },
  { name: "sockets connected and closed", unit: "connections/s", run: connections },
  { name: "requests over a socket", unit: "requests/s", run: requests },
  { name: "ioredis clients made ready and closed", unit: "clients/s", run: redisClients },
  { name: "ioredis commands", unit: "commands/s", run: redisCommands },
  { name: "whole runs, 2 clients, 10 operations", unit: "runs/s", run: wholeRuns },
];

export const benchmark: Benchmark = {
  async *run({ effort, step, signal }): AsyncGenerator<Table> {
    const rows: Table["rows"][number][] = [];
    for (const { name, unit, run } of measurements) {
      step(name);
      const rates: number[] = [];
      for (let round = 0; round < ROUNDS * effort; round += 1) {
        signal.throwIfAborted();
        const startMs = performance.now();
        const amount = await run(round);
        rates.push((amount / (performance.now() - startMs)) * 1000);
      }
      rows.push({ name, unit, rates, best: Math.max(...rates) });
    }
    yield {
      title: "The simulation apart from the simulated Redis",
      columns: [
        { key: "name", title: "what" },
        { key: "unit", title: "unit" },
        { key: "best", title: "best" },
        { key: "rates", title: "median [least..most]" },
      ],
      rows,
      notes: ["Other work on the machine only ever makes a rate smaller: the best is the nearest to what it costs."],
    };
  },
};
