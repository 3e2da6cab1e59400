import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Address } from "../../../harness/core/lock-driver.ts";
import { JuteReader, JuteWriter, PacketSplitter } from "./jute.ts";
import { getChildren, PING_XID } from "./requests.ts";
import { Session } from "./session.ts";

const AWHILE = { timeout: 20_000, interval: 5 };
const TIMEOUT_MS = 600;

/** A server of sessions that does what a test tells it to. */
class ScriptedZooKeeper implements AsyncDisposable {
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  /** The session that each handshake named. */
  readonly asked: bigint[] = [];
  /** The time-out that it grants, in milliseconds; 0 says that the session is over. */
  grants = TIMEOUT_MS;
  /** How it answers a request. */
  answer: (xid: number) => Buffer | undefined = (xid) =>
    new JuteWriter().int32(xid).int64(7n).int32(0).int32(0).packet();

  heartbeats = 0;
  /** Whether it never answers. */
  silent = false;

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get address(): Address {
    return { host: "127.0.0.1", port: (this.#server.address() as AddressInfo).port };
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    const packets = new PacketSplitter();
    let established = false;
    socket.on("data", (chunk) => {
      for (const record of packets.push(chunk)) {
        if (this.silent) continue;
        const reader = new JuteReader(record);
        if (established) {
          const xid = reader.int32();
          if (xid === PING_XID) this.heartbeats += 1;
          const answer = this.answer(xid);
          if (answer !== undefined) socket.write(answer);
          continue;
        }
        established = true;
        reader.int32();
        reader.int64();
        reader.int32();
        this.asked.push(reader.int64());
        socket.write(new JuteWriter().int32(0).int32(this.grants).int64(42n).buffer(new Uint8Array(16)).packet());
      }
    });
  }
}

let server: ScriptedZooKeeper;
let session: Session;
let ends: number;

beforeEach(async () => {
  server = new ScriptedZooKeeper();
  ends = 0;
  await server.listen();
  session = new Session(server.address, TIMEOUT_MS, () => {
    ends += 1;
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await session[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

it("is kept by heartbeats, well beyond its time-out", async () => {
  await session.connected();
  // One each sixth of the time-out.
  await expect.poll(() => server.heartbeats, AWHILE).toBeGreaterThan(12);
  expect([session.ended, ends, server.asked]).toEqual([false, 0, [0n]]);
  expect(session.remainingMs).toBeGreaterThan(0);
});

it("goes on with another connection, and names itself", async () => {
  await session.connected();
  server.cut();
  await expect.poll(() => server.asked, AWHILE).toEqual([0n, 42n]);
  expect(await session.connected()).toBe(true);
  expect(ends).toBe(0);
});

it("ends when the server says so", async () => {
  await session.connected();
  server.grants = 0;
  server.cut();
  await expect.poll(() => ends, AWHILE).toBe(1);
  expect([await session.connected(), session.ended, session.remainingMs]).toEqual([false, true, -Infinity]);
  expect(await session.request(getChildren("/"))).toEqual({ type: "unsent" });
});

it("ends by its own clock when nothing is answered, a tenth of its time-out before the server could", async () => {
  await session[Symbol.asyncDispose]();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  await using own = new Session(server.address, TIMEOUT_MS, () => {
    ends += 1;
  });
  await own.connected();
  // A heartbeat that is answered together with the request would count from later.
  const { answer } = server;
  server.answer = (xid) => (xid === PING_XID ? undefined : answer(xid));
  vi.advanceTimersByTime(50);
  const asking = own.request(getChildren("/"));
  vi.advanceTimersByTime(50);
  await asking;
  expect(own.remainingMs).toBe(TIMEOUT_MS - 50);
  server.silent = true;
  vi.advanceTimersByTime(TIMEOUT_MS * 0.9 - 50 - 1);
  expect([ends, own.remainingMs]).toEqual([0, TIMEOUT_MS * 0.1 + 1]);
  vi.advanceTimersByTime(1);
  expect(ends).toBe(1);
});

it("takes what is not a reply to its request for a broken connection", async () => {
  await session.connected();
  server.answer = (xid) =>
    new JuteWriter()
      .int32(xid === PING_XID ? PING_XID : xid + 1)
      .int64(7n)
      .int32(0)
      .packet();
  expect(await session.request(getChildren("/"))).toEqual({ type: "unknown" });
  await expect.poll(() => server.asked.length, AWHILE).toBe(2);
});

it("does not know what became of a request whose connection was lost", async () => {
  await session.connected();
  server.silent = true;
  const asking = session.request(getChildren("/"));
  server.cut();
  expect(await asking).toEqual({ type: "unknown" });
  expect(await session.request(getChildren("/"))).toEqual({ type: "unsent" });
});
