import { expect, test } from "vitest";
import type { ServiceConnection } from "../network/service.ts";
import { encodeCommand, fromBytes, toBytes } from "../redis/protocol/resp-encoder.ts";
import { NodeWorld } from "./testing/node-world.ts";

/** The test's own master, in the place of `node-0`, which lets a replica attach and then sends what the test says. */
class ScriptedMaster {
  readonly world = new NodeWorld({ nodes: 2 });
  readonly asked: string[] = [];
  #connection: ServiceConnection | undefined;
  #answer: (psync: string) => string = () => "-ERR not yet\r\n";

  constructor() {
    const { world } = this;
    world.node(0).host.kill();
    world.node(0).host.start();
    world.network.listen(world.node(0).host, 6379, {
      onConnect: (connection) => {
        this.#connection = connection;
        return { onData: (bytes) => this.#take(fromBytes(bytes)) };
      },
    });
  }

  /** Answers the next PSYNC, once it comes. */
  async onPsync(answer: (psync: string) => string): Promise<void> {
    const before = this.asked.length;
    this.#answer = answer;
    await this.world.until("the replica asks", () => this.asked.length > before);
    await this.world.advance(1);
  }

  async say(...commands: readonly string[][]): Promise<void> {
    this.#connection?.write(toBytes(commands.map(encodeCommand).join("")));
    await this.world.advance(1);
  }

  async hangUp(): Promise<void> {
    this.#connection?.close();
    await this.world.advance(1);
  }

  #take(text: string): void {
    if (text.includes("PSYNC")) {
      const psync = text.split("\r\n").filter((_, line) => line > 3 && line % 2 === 0);
      this.asked.push(psync.join(" "));
      this.#connection?.write(toBytes(this.#answer(psync.join(" "))));
    } else if (text.includes("listening-port") || text.includes("capa")) this.#connection?.write(toBytes("+OK\r\n"));
    else if (text.includes("PING")) this.#connection?.write(toBytes("+PONG\r\n"));
  }
}

const ID = "a".repeat(40);

test("a full resynchronisation that breaks before its data came counts for nothing", async () => {
  const master = new ScriptedMaster();
  const { replication } = master.world.node(1).server;
  const before = replication.id;
  await master.onPsync(() => `+FULLRESYNC ${ID} 5000\r\n`);
  await master.hangUp();
  expect(replication).toMatchObject({ id: before, offset: 0 });
  await master.onPsync(() => "-ERR no\r\n");
  expect(master.asked.at(-1)).toBe(`${before} 1`);
});

test("a transaction counts as a whole or not at all", async () => {
  const master = new ScriptedMaster();
  const { server } = master.world.node(1);
  await master.onPsync(() => `+CONTINUE ${ID}\r\n`);
  await master.say(["SELECT", "0"], ["SET", "a", "1"]);
  const { offset } = server.replication;
  expect(offset).toBeGreaterThan(0);
  await master.say(["MULTI"], ["SET", "a", "2"], ["SELECT", "3"]);
  expect(server.replication.offset).toBe(offset);
  await master.hangUp();
  await master.onPsync(() => `+CONTINUE ${ID}\r\n`);
  expect(master.asked.at(-1)).toBe(`${ID} ${offset + 1}`);
  await master.say(["SET", "b", "3"]);
  expect(master.world.ask(1, "MGET", "a", "b")).toEqual(["1", "3"]);
  await master.say(["MULTI"], ["SET", "a", "4"], ["SET", "c", "5"], ["EXEC"]);
  expect(master.world.ask(1, "MGET", "a", "c")).toEqual(["4", "5"]);
});

test("commands that arrive in pieces are applied when they are whole", async () => {
  const master = new ScriptedMaster();
  await master.onPsync(() => `+CONTINUE ${ID}\r\n*3\r\n$3\r\nSET\r\n$1\r\na`);
  expect(master.world.ask(1, "GET", "a")).toBeNull();
  expect(master.world.node(1).server.replication.offset).toBe(0);
});
