import { describe, expect, test } from "vitest";
import type { Host } from "../kernel/host.ts";
import { Kernel } from "../kernel/kernel.ts";
import { Network } from "./network.ts";
import type { ServiceConnection } from "./service.ts";

/** A client and a server, both services, and the log of their events: who, what, when. */
class World {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly client: Host;
  readonly server: Host;
  readonly log: string[] = [];
  accepted: ServiceConnection | undefined;
  opened: ServiceConnection | undefined;

  /** Latency is 100 µs sharp, unless given. */
  constructor(latency = { minUs: 100, maxUs: 100 }, seed = 1) {
    this.kernel = new Kernel({ seed });
    this.network = new Network(this.kernel, { latency });
    this.client = this.kernel.host("client", { runs: "service" });
    this.server = this.kernel.host("server", { runs: "service" });
    for (const host of [this.client, this.server]) this.network.add(host);
    this.listen();
  }

  listen(): void {
    this.network.listen(this.server, 7000, {
      onConnect: (connection) => {
        this.accepted = connection;
        return this.#handler("server");
      },
    });
  }

  dial(port = 7000, address = "10.0.0.2"): () => void {
    return this.network.dial(this.client, address, port, {
      onConnect: (connection) => {
        this.opened = connection;
        return this.#handler("client");
      },
      onFailure: (code) => this.note(`client ${code}`),
    });
  }

  at(timeUs: number, run: () => void): void {
    this.kernel.at(timeUs, "test", run);
  }

  note(what: string): void {
    this.log.push(`${this.kernel.now} ${what}`);
  }

  /** Runs to the end and returns the events from `sinceUs` on. */
  async run(sinceUs = 0, untilUs = 10_000_000): Promise<string[]> {
    await this.kernel.run({ untilUs });
    return this.log.filter((line) => Number.parseInt(line, 10) >= sinceUs);
  }

  #handler(who: string) {
    this.note(`${who} open`);
    return {
      onData: (bytes: Buffer) => this.note(`${who} ${bytes.toString("latin1")}`),
      onClose: (how: string) => this.note(`${who} ${how}`),
    };
  }
}

const text = (value: string): Buffer => Buffer.from(value);

describe("a connection", () => {
  test("opens after a round trip, and is accepted one way later", async () => {
    const world = new World();
    world.dial();
    expect(await world.run()).toEqual(["200 client open", "300 server open"]);
    expect(world.accepted).toMatchObject({ remoteAddress: "10.0.0.1", remotePort: 32_768, localPort: 7000 });
    expect(world.opened).toMatchObject({ remoteAddress: "10.0.0.2", remotePort: 7000, localPort: 32_768 });
    expect(world.accepted?.peer).toBe(world.client);
  });

  test("is refused where nobody listens, and by a dead host", async () => {
    const world = new World();
    world.dial(7001);
    world.at(1000, () => world.server.kill());
    world.at(2000, () => world.dial());
    world.at(3000, () => {
      world.server.start();
      world.dial();
    });
    world.at(4000, () => {
      world.listen();
      world.dial();
    });
    expect(await world.run()).toEqual([
      "200 client ECONNREFUSED",
      "2200 client ECONNREFUSED",
      "3200 client ECONNREFUSED",
      "4200 client open",
      "4300 server open",
    ]);
  });

  test("times out after 127 s where nothing answers: behind a cut, or without power; unknown hosts are unreachable", async () => {
    const world = new World();
    world.at(0, () => {
      world.network.link(world.client, world.server).cut = true;
      world.dial();
    });
    world.dial(7000, "10.0.0.99");
    expect(await world.run(0, 200_000_000)).toEqual(["0 client EHOSTUNREACH", "127000000 client ETIMEDOUT"]);
    const dark = new World();
    dark.at(0, () => {
      dark.server.powerOff();
      dark.dial();
    });
    expect(await dark.run(0, 200_000_000)).toEqual(["127000000 client ETIMEDOUT"]);
  });

  test("carries bytes in order, and those of one step together", async () => {
    const world = new World();
    world.dial();
    world.at(1000, () => {
      for (const part of ["a", "b", "c"]) world.opened?.write(text(part));
    });
    world.at(1000, () => world.opened?.write(text("d")));
    world.at(1050, () => world.accepted?.write(text("reply")));
    expect(await world.run(1000)).toEqual(["1100 server abc", "1100 server d", "1150 client reply"]);
  });

  test("keeps its order regardless of the latency draws, and each direction draws for itself", async () => {
    const latencies = new Set<string>();
    for (let seed = 0; seed < 5; seed += 1) {
      const world = new World({ minUs: 1, maxUs: 5000 }, seed);
      world.dial();
      for (let index = 0; index < 26; index += 1) {
        world.at(20_000 + index, () => world.opened?.write(text(String.fromCodePoint(97 + index))));
      }
      const lines = await world.run(20_000);
      expect(lines.map((line) => line.at(-1)).join("")).toBe("abcdefghijklmnopqrstuvwxyz");
      latencies.add(lines.join());
    }
    expect(latencies.size).toBe(5);
  });

  test("closes both ways when one side closes", async () => {
    const world = new World();
    world.dial();
    world.at(1000, () => {
      world.opened?.write(text("last"));
      world.opened?.close();
      world.opened?.write(text("never"));
    });
    expect(await world.run(1000)).toEqual(["1000 client closed", "1100 server last", "1100 server closed"]);
    expect(world.network.link(world.client, world.server).connections.size).toBe(0);
  });

  test("resets who writes to a closed end", async () => {
    const world = new World();
    world.network.listen(world.server, 7001, {
      onConnect: (connection) => {
        connection.close();
        return { onData: () => world.note("never") };
      },
    });
    world.network.dial(world.client, "server", 7001, {
      onConnect: (connection) => {
        world.opened = connection;
        return { onData: () => {}, onEnd: () => world.note("end"), onClose: (how) => world.note(how) };
      },
      onFailure: () => {},
    });
    world.at(1000, () => world.opened?.write(text("still there?")));
    expect(await world.run()).toEqual(["400 end", "1200 reset"]);
  });

  test.each([50, 150])("that was given up %s µs after it began is never accepted", async (timeUs) => {
    const world = new World();
    const giveUp = world.dial();
    world.at(timeUs, giveUp);
    expect(await world.run()).toEqual([]);
    expect(world.network.link(world.client, world.server).connections.size).toBe(0);
  });

  test("has its bytes in the hash of the run", async () => {
    const hashes = new Set<string>();
    for (const bytes of ["abc", "abd", "abc"]) {
      const world = new World();
      world.dial();
      world.at(1000, () => world.opened?.write(text(bytes)));
      await world.run();
      hashes.add(world.kernel.hash());
    }
    expect(hashes.size).toBe(2);
  });
});

describe("faults of a link", () => {
  async function connected(): Promise<World> {
    const world = new World();
    world.dial();
    await world.run(0, 900);
    world.log.length = 0;
    return world;
  }

  test("a cut holds bytes and ends until it is healed, in one direction only", async () => {
    const world = await connected();
    const link = world.network.link(world.client, world.server);
    world.at(950, () => world.opened?.write(text("under way")));
    world.at(1000, () => (link.cut = true));
    world.at(1100, () => world.opened?.write(text("held")));
    world.at(1200, () => world.accepted?.write(text("passes")));
    world.at(1400, () => world.opened?.close());
    world.at(2000, () => world.note(`holding ${link.held}`));
    world.at(5000, () => link.heal());
    expect(await world.run(900)).toEqual([
      "1300 client passes",
      "1400 client closed",
      "2000 holding 3",
      "5000 server under way",
      "5000 server held",
      "5000 server closed",
    ]);
  });

  test("a cut of the way back lets the request through and holds the answer", async () => {
    const world = await connected();
    const back = world.network.link(world.server, world.client);
    world.at(1000, () => (back.cut = true));
    world.at(1000, () => world.opened?.write(text("question")));
    world.at(1100, () => world.accepted?.write(text("answer")));
    world.at(1100, () => world.dial());
    world.at(9000, () => back.heal());
    expect(await world.run(1000)).toEqual([
      "1100 server question",
      "9000 client answer",
      "9000 client open",
      "9100 server open",
    ]);
  });

  test("a stall lets connections open and takes bytes, but nothing comes out", async () => {
    const world = await connected();
    const back = world.network.link(world.server, world.client);
    world.at(1000, () => (back.stalled = true));
    world.at(1000, () => world.accepted?.write(text("held")));
    world.at(1000, () => world.dial());
    world.at(5000, () => back.heal());
    expect(await world.run(1000)).toEqual(["1200 client open", "1300 server open", "5000 client held"]);
  });

  test("a delay is added to what is sent from then on, and does not change the order", async () => {
    const world = await connected();
    const link = world.network.link(world.client, world.server);
    world.at(1000, () => (link.delayUs = 10_000));
    world.at(1000, () => world.opened?.write(text("slow")));
    world.at(2000, () => link.heal());
    world.at(2000, () => world.opened?.write(text("behind")));
    world.at(15_000, () => world.opened?.write(text("fast")));
    expect(await world.run(1000)).toEqual(["11100 server slow", "11100 server behind", "15100 server fast"]);
  });

  test("a reset breaks every connection between two hosts, once; bytes under way are lost", async () => {
    const world = await connected();
    world.at(1000, () => world.opened?.write(text("lost")));
    world.at(1050, () => world.note(`reset ${world.network.reset(world.server, world.client)}`));
    world.at(1100, () => world.opened?.write(text("never")));
    world.at(2000, () => world.dial());
    world.at(3000, () => world.opened?.write(text("new")));
    expect(await world.run(1000)).toEqual([
      "1050 reset 1",
      "1050 client reset",
      "1050 server reset",
      "2200 client open",
      "2300 server open",
      "3100 server new",
    ]);
  });
});

describe("a host that", () => {
  test("is killed has its connections closed by its machine", async () => {
    const world = new World();
    world.dial();
    world.at(1000, () => world.accepted?.write(text("last words")));
    world.at(1010, () => world.server.kill());
    expect(await world.run(1000)).toEqual(["1100 client last words", "1110 client closed"]);
  });

  test("is killed with unread input resets", async () => {
    const world = new World();
    world.dial();
    world.at(1000, () => world.server.pause());
    world.at(1000, () => world.opened?.write(text("unread")));
    world.at(2000, () => world.server.kill());
    expect(await world.run(1000)).toEqual(["2100 client reset"]);
  });

  test("loses power says nothing; once it is back, it resets connections it does not know", async () => {
    const world = new World();
    world.dial();
    world.at(1000, () => world.server.powerOff());
    world.at(2000, () => world.opened?.write(text("anybody?")));
    world.at(50_000, () => world.server.start());
    expect(await world.run(1000)).toEqual(["50100 client reset"]);
  });

  test("is paused: its machine takes connections and bytes, also while a cut begins; its process hears of them later", async () => {
    const world = new World();
    world.dial();
    world.at(1000, () => world.server.pause(9000));
    world.at(1000, () => world.opened?.write(text("first")));
    world.at(2000, () => world.opened?.write(text("second")));
    world.at(3000, () => world.dial());
    world.at(4000, () => (world.network.link(world.client, world.server).cut = true));
    world.at(5000, () => world.opened?.write(text("too late")));
    expect(await world.run(1000)).toEqual(["3200 client open", "10000 server firstsecond", "10000 server open"]);
  });
});

describe("watching what is sent", () => {
  test("tells before the bytes leave; a pause at that point holds them, and what the step still writes", async () => {
    const world = new World();
    world.dial();
    let count = 0;
    world.network.onSend(({ from, to, connection, bytes }) => {
      count += 1;
      if (count !== 2) return;
      world.note(`${from.name} sends ${bytes.length} to ${to.name} on ${connection}`);
      from.pause(5000);
    });
    world.at(1000, () => world.opened?.write(text("check")));
    world.client.io(2000, "step", () => {
      world.opened?.write(text("act"));
      world.opened?.write(text(" again"));
      world.opened?.close();
    });
    expect(await world.run(1000)).toEqual([
      "1100 server check",
      "2000 client sends 3 to server on client>server#1",
      "2000 client closed",
      "7100 server act again",
      "7100 server closed",
    ]);
  });
});

test("a listener can be closed, and a port is taken once", async () => {
  const world = new World();
  const service = { onConnect: () => ({ onData: () => {} }) };
  expect(() => world.network.listen(world.server, 7000, service)).toThrow("server listens on port 7000 already");
  const listener = world.network.listen(world.server, 7001, service);
  listener.close();
  world.dial(7001);
  expect(await world.run()).toEqual(["200 client ECONNREFUSED"]);
});

test("a host that writes without end to a peer that does not read ends the run with an error", async () => {
  const world = new World();
  world.dial();
  world.at(1000, () => world.client.pause());
  const megabytes = Buffer.alloc(1 << 26);
  world.at(1000, () => {
    for (let index = 0; index < 5; index += 1) world.accepted?.write(megabytes);
  });
  await expect(world.run()).rejects.toThrow("bytes were written and not read");
});

test("names and addresses", () => {
  const world = new World();
  const { network, client, server } = world;
  expect(network.addressOf(server)).toBe("10.0.0.2");
  expect(["server", "10.0.0.2", "localhost", "nowhere"].map((name) => network.resolve(name))).toEqual([
    "10.0.0.2",
    "10.0.0.2",
    "127.0.0.1",
    undefined,
  ]);
  expect(network.link(client, server)).toBe(network.link(client, server));
  expect(network.link(client, server)).not.toBe(network.link(server, client));
  const stranger = world.kernel.host("stranger", { runs: "service" });
  expect(() => network.addressOf(stranger)).toThrow("stranger was not added to the network");
});
