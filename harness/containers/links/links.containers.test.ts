import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, createServer, type Socket } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { describeWithEngine } from "../testing/engine-required.ts";
import type { Direction, Link } from "./links.ts";
import { nodeOf, useServers } from "../testing/servers.ts";

const CLIENT = "tester";

/** A plain connection that records the arrival time of bytes. */
class Wire implements AsyncDisposable {
  readonly socket: Socket;
  text = "";

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("utf8").on("data", (text: string) => (this.text += text));
    socket.on("error", () => {});
  }

  static async open(link: Link): Promise<Wire> {
    const socket = connect(link.address.port, link.address.host);
    const wire = new Wire(socket);
    await once(socket, "connect");
    return wire;
  }

  send(command: string): void {
    this.socket.write(`${command}\r\n`);
  }

  async receives(text: string): Promise<void> {
    while (!this.text.includes(text)) await once(this.socket, "data");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
  }
}

describeWithEngine("a link", () => {
  const servers = useServers({ kind: "single" });
  let link: Link;

  beforeEach(async () => {
    await servers().renew();
    const found = (await servers().link([CLIENT])).get(`${CLIENT}->node-0`);
    if (found === undefined) throw new Error("no link");
    link = found;
  });

  const atServer = (): Promise<unknown> => nodeOf(servers(), "node-0").command("EXISTS", "k");

  test("whose port was taken while it was closed opens when the port is free again", async () => {
    await link.close();
    const other = createServer().listen(link.address.port, link.address.host);
    await once(other, "listening");
    let isOpen = false;
    const opened = link.open().then(() => (isOpen = true));
    // Long enough for several tries.
    await sleep(100);
    expect(isOpen).toBe(false);
    other.close();
    await opened;
    await using wire = await Wire.open(link);
    wire.send("PING");
    await wire.receives("PONG");
  });

  test("that holds requests keeps them from the server, and delivers them after mending", async () => {
    await using wire = await Wire.open(link);
    wire.send("PING");
    await wire.receives("PONG");
    expect(await link.hold("upstream")).toEqual({
      observed: true,
      detail: "tester->node-0: no answer to PING in 60 ms",
    });
    wire.send("SET k v");
    await sleep(100);
    expect(await atServer()).toBe(0);
    expect(await link.heal("upstream")).toEqual({ observed: true, detail: "tester->node-0: answers again" });
    await wire.receives("OK");
    expect(await atServer()).toBe(1);
  });

  test("that holds replies lets the server apply the request; the reply comes after mending", async () => {
    await using wire = await Wire.open(link);
    wire.send("PING");
    await wire.receives("PONG");
    expect(await link.hold("downstream")).toMatchObject({ observed: true });
    wire.send("SET k v");
    await expect.poll(atServer).toBe(1);
    expect(wire.text).not.toContain("OK");
    await link.heal("downstream");
    await wire.receives("OK");
  });

  test("holds a connection that is opened while it holds, too", async () => {
    await link.hold("upstream");
    await using wire = await Wire.open(link);
    wire.send("SET k v");
    await sleep(100);
    expect(await atServer()).toBe(0);
    await link.heal("upstream");
    await wire.receives("OK");
  });

  test("both ways held is held until both are healed", async () => {
    const both: readonly Direction[] = ["upstream", "downstream"];
    const holds = await Promise.all(both.map((direction) => link.hold(direction)));
    expect(holds.map(({ observed }) => observed)).toEqual([true, true]);
    await link.heal("upstream");
    await using wire = await Wire.open(link);
    wire.send("SET k v");
    await expect.poll(atServer).toBe(1);
    expect(wire.text).toBe("");
    await link.heal("downstream");
    await wire.receives("OK");
  });

  test("delays, by what it is told and not for ever", async () => {
    const { observed, detail } = await link.delay("upstream", 120);
    expect(observed).toBe(true);
    const [, measured] = /answered after ([\d.]+) ms/.exec(detail) ?? [];
    expect(Number(measured)).toBeGreaterThanOrEqual(120);
    await link.heal("upstream");
    await using wire = await Wire.open(link);
    const begun = performance.now();
    wire.send("PING");
    await wire.receives("PONG");
    expect(performance.now() - begun).toBeLessThan(120);
  });

  test("shows a long delay without waiting for all of it", async () => {
    const begun = performance.now();
    expect(await link.delay("downstream", 30_000)).toMatchObject({ observed: true });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test("stays held where a delay comes on top, and a hold takes over from a delay", async () => {
    await using wire = await Wire.open(link);
    await link.hold("upstream");
    await link.delay("upstream", 10);
    wire.send("SET k v");
    await sleep(100);
    expect(await atServer()).toBe(0);
    await link.heal("upstream");
    await wire.receives("OK");

    await link.delay("upstream", 10);
    expect(await link.hold("upstream")).toMatchObject({ observed: true });
    wire.send("DEL k");
    await sleep(100);
    expect(await atServer()).toBe(1);
  });

  test("takes what happens to it in the same moment one after the other", async () => {
    const evidence = await Promise.all([
      link.hold("upstream"),
      link.delay("upstream", 5),
      link.heal("upstream"),
      link.hold("upstream"),
      link.reset(),
    ]);
    expect(evidence).toHaveLength(5);
    await using wire = await Wire.open(link);
    wire.send("SET k v");
    await sleep(100);
    expect(await atServer()).toBe(0);
  });

  test("reset closes the connections there are, idle ones too, and takes new ones", async () => {
    await using wire = await Wire.open(link);
    expect(await link.reset()).toEqual({ observed: true, detail: "tester->node-0: an idle connection was closed" });
    await expect.poll(() => wire.socket.destroyed).toBe(true);
    await using next = await Wire.open(link);
    next.send("PING");
    await next.receives("PONG");
  });

  test("reset does not heal it", async () => {
    await link.hold("upstream");
    await link.reset();
    await using wire = await Wire.open(link);
    wire.send("SET k v");
    await sleep(100);
    expect(await atServer()).toBe(0);
  });

  test("to a server that is dead refuses connections, and nothing of a cut is seen", async () => {
    const node = nodeOf(servers(), "node-0");
    await node.kill();
    const socket = connect(link.address.port, link.address.host);
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
    expect(await link.hold("upstream")).toEqual({ observed: false, detail: "tester->node-0: no answer before either" });
    expect(await link.reset()).toMatchObject({ observed: false });

    await node.start({ keepData: true });
    await using wire = await Wire.open(link);
    wire.send("SET k v");
    await sleep(100);
    expect(await atServer()).toBe(0);
    await link.heal("upstream");
    await wire.receives("OK");
  });
});
