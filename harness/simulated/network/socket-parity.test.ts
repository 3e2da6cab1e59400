import "../platform/install.ts";
import net, { type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { Kernel } from "../kernel/kernel.ts";
import { SimulatedSocket } from "./simulated-socket.ts";
import { againstReal, againstSimulated, type PeerAddress, type PeerServer } from "./testing/peers.ts";

/** Events and the socket's state at each; adjacent `data` events count as one, because chunks differ. */
class Log {
  readonly lines: string[] = [];
  #bytes = 0;

  watch(socket: Socket): Socket {
    const events = ["connectionAttempt", "connectionAttemptFailed", "connect", "ready", "end", "finish", "timeout"];
    for (const event of [...events, "drain", "pause", "resume"]) socket.on(event, () => this.add(event, socket));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      this.add(`error ${error.code} ${error.syscall} ${error.errno}`, socket);
    });
    socket.on("close", (hadError: boolean) => this.add(`close ${hadError}`, socket));
    return socket;
  }

  /** Counts the bytes of `data` events too. Makes the socket flow. */
  read(socket: Socket): Socket {
    socket.on("data", (bytes: Buffer) => {
      if (this.#bytes === 0) this.lines.push("");
      this.#bytes += bytes.length;
      this.lines[this.lines.length - 1] = `data ${this.#bytes} ${stateOf(socket)}`;
    });
    return socket;
  }

  add(text: string, socket?: Socket): void {
    this.#bytes = 0;
    this.lines.push(socket === undefined ? text : `${text} ${stateOf(socket)}`);
  }

  /** Logs from a tick, a microtask and an immediate which came first. */
  addOrder(text: string): void {
    setImmediate(() => this.add(`${text} immediate`));
    process.nextTick(() => this.add(`${text} tick`));
    void Promise.resolve().then(() => this.add(`${text} microtask`));
  }
}

function stateOf(socket: Socket): string {
  const flags = {
    connecting: socket.connecting,
    pending: socket.pending,
    destroyed: socket.destroyed,
    readable: socket.readable,
    writable: socket.writable,
    readableEnded: socket.readableEnded,
    writableEnded: socket.writableEnded,
    writableFinished: socket.writableFinished,
    flowing: socket.readableFlowing,
    errored: socket.errored !== null,
    remote: socket.remoteAddress !== undefined,
  };
  const set = Object.entries(flags).filter(([, value]) => value === true);
  return `[${socket.readyState}: ${set.map(([name]) => name).join(" ")}]`;
}

function codeOf(error: NodeJS.ErrnoException | null | undefined): string | undefined {
  return error?.code;
}

interface Scenario {
  readonly name: string;
  readonly server: () => PeerServer;
  readonly client: (address: PeerAddress, log: Log) => Promise<void>;
}

const echo = (): PeerServer => ({ onData: (connection, bytes) => connection.write(bytes) });
const greet =
  (then: "end" | "close" | "reset" | "nothing", bytes = 5) =>
  (): PeerServer => ({
    onConnect: (connection) => {
      connection.write(Buffer.alloc(bytes, "g"));
      if (then !== "nothing") connection[then]();
    },
  });
const closed = (socket: Socket): Promise<void> => new Promise((resolve) => void socket.once("close", () => resolve()));
const next = (socket: Socket, event: string): Promise<void> =>
  new Promise((resolve) => void socket.once(event, () => resolve()));

const scenarios: Scenario[] = [
  {
    name: "echo, then the client ends",
    server: echo,
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect(address)));
      await next(socket, "connect");
      log.add(`write ${socket.write("hello", () => log.add("written"))}`, socket);
      await next(socket, "data");
      socket.end(() => log.add("ended"));
      await closed(socket);
    },
  },
  {
    name: "written and ended before connecting",
    server: () => ({ ...echo(), onEnd: (connection) => connection.end() }),
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect(address, () => log.addOrder("connect callback"))));
      log.add(`write ${socket.write("one", () => log.add("written one"))}`, socket);
      log.add(`write ${socket.write("two", () => log.add("written two"))}`, socket);
      log.add(`bytes ${socket.bytesWritten}`);
      socket.end("three");
      await closed(socket);
      log.add(`bytes ${socket.bytesWritten} ${socket.bytesRead}`);
    },
  },
  {
    name: "ended before connecting, nothing written",
    server: () => ({ onEnd: (connection) => connection.end() }),
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect(address)));
      socket.end();
      await closed(socket);
    },
  },
  ...(["end", "close"] as const).map((how) => ({
    name: `the server greets and does ${how}`,
    server: greet(how),
    client: async (address: PeerAddress, log: Log) => {
      const socket = log.read(log.watch(net.connect(address)));
      socket.on("end", () => log.addOrder("end"));
      await closed(socket);
      log.addOrder("close");
      await new Promise((resolve) => void setImmediate(resolve));
    },
  })),
  {
    name: "the server resets when asked",
    server: () => ({ onData: (connection) => connection.reset() }),
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect(address)));
      await next(socket, "connect");
      socket.write("please", () => log.add("written"));
      socket.on("error", () => log.addOrder("error"));
      await closed(socket);
      socket.write("late", (error) => log.add(`late ${codeOf(error)}`));
      await new Promise((resolve) => void setImmediate(resolve));
    },
  },
  {
    name: "nobody listens",
    server: () => ({}),
    client: async ({ host }, log) => {
      const socket = log.watch(net.connect({ host, port: 1 }));
      socket.write("never", (error) => log.add(`write ${codeOf(error)}`));
      socket.on("error", (error) => log.add(error.message.replace(host, "HOST")));
      await closed(socket);
    },
  },
  {
    name: "destroyed before connecting",
    server: echo,
    client: async (address, log) => {
      const socket = log.watch(net.connect(address));
      socket.write("never", (error) => log.add(`write ${codeOf(error)}`));
      log.add("destroy", socket.destroy());
      await closed(socket);
    },
  },
  {
    name: "destroyed with an error while connecting, in a tick",
    server: echo,
    client: async (address, log) => {
      const socket = log.watch(net.connect(address));
      process.nextTick(() => socket.destroy(new Error("enough")));
      await closed(socket);
    },
  },
  {
    name: "destroyed in the first data event",
    server: greet("nothing"),
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect(address)));
      socket.on("data", () => {
        socket.destroy();
        log.addOrder("destroyed");
      });
      await closed(socket);
    },
  },
  {
    name: "destroySoon after a write",
    server: echo,
    client: async (address, log) => {
      const socket = log.watch(net.connect(address));
      await next(socket, "connect");
      socket.write("bye", () => log.add("written"));
      socket.destroySoon();
      await closed(socket);
    },
  },
  {
    name: "half-open: the server ends, the client goes on, then ends",
    server: () => ({
      onConnect: (connection) => connection.end(),
      onEnd: () => {},
    }),
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect({ ...address, allowHalfOpen: true })));
      await next(socket, "end");
      log.add(`write ${socket.write("still here", () => log.add("written"))}`, socket);
      socket.end();
      await closed(socket);
    },
  },
  {
    name: "half-open: the server has closed, the client writes until it hears of it",
    server: greet("close"),
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect({ ...address, allowHalfOpen: true })));
      await next(socket, "end");
      const written = (error: NodeJS.ErrnoException | null | undefined): void => {
        log.add(`written ${error?.code}`);
        // In the callback of the failed write the socket is not yet destroyed.
        setTimeout(() => socket.destroyed || socket.write("more", written), 5);
      };
      socket.write("first", written);
      await closed(socket);
    },
  },
  {
    name: "not half-open: writing in and after the event end",
    server: greet("end"),
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect(address)));
      const write = (text: string): void => {
        const taken = socket.write(text, (error) => log.add(`${text}: ${codeOf(error)}`));
        log.add(`write ${text} ${taken}`, socket);
      };
      socket.on("end", () => {
        write("late");
        process.nextTick(() => write("too late"));
      });
      await closed(socket);
    },
  },
  {
    name: "more than the system's buffer: write is false, then drain",
    server: () => ({ onEnd: (connection) => connection.end() }),
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect(address)));
      await next(socket, "connect");
      log.add(`write ${socket.write(Buffer.alloc(16_000_000), () => log.add("written"))}`, socket);
      await next(socket, "drain");
      socket.end();
      await closed(socket);
    },
  },
  {
    name: "corked writes go out together",
    server: echo,
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect(address)));
      await next(socket, "connect");
      socket.cork();
      socket.write("ab", () => log.add("written ab"));
      socket.write("616c", "hex", () => log.add("written hex"));
      socket.uncork();
      await next(socket, "data");
      log.add(`bytes ${socket.bytesWritten} ${socket.bytesRead}`);
      socket.destroy();
      await closed(socket);
    },
  },
  {
    name: "a buffer that is used again once it was written",
    server: echo,
    client: async (address, log) => {
      const socket = log.watch(net.connect(address));
      await next(socket, "connect");
      const bytes = Buffer.from("first");
      socket.write(bytes, () => bytes.fill("x"));
      socket.on("data", (received: Buffer) => {
        log.add(`received ${received.toString()}`);
        socket.destroy();
      });
      await closed(socket);
    },
  },
  {
    name: "paused while a megabyte arrives, then read to the end",
    server: greet("end", 1_000_000),
    client: async (address, log) => {
      const socket = log.watch(net.connect(address));
      socket.pause();
      await next(socket, "connect");
      await new Promise((resolve) => void setTimeout(resolve, 20));
      log.read(socket);
      socket.resume();
      await closed(socket);
    },
  },
  {
    name: "read by async iteration",
    server: greet("end", 10),
    client: async (address, log) => {
      const socket = log.watch(net.connect(address));
      let length = 0;
      for await (const chunk of socket) length += (chunk as Buffer).length;
      log.add(`read ${length}`, socket);
      if (!socket.closed) await closed(socket);
    },
  },
  {
    name: "idle until the timeout, which closes nothing",
    server: echo,
    client: async (address, log) => {
      const socket = log.read(log.watch(net.connect({ ...address, timeout: 500 })));
      await next(socket, "connect");
      await new Promise((resolve) => void setTimeout(resolve, 20));
      socket.write("hello");
      await next(socket, "data");
      const since = performance.now();
      await next(socket, "timeout");
      log.add(`idle long enough ${performance.now() - since >= 498}`, socket);
      socket.setTimeout(0);
      socket.end();
      await closed(socket);
    },
  },
  {
    name: "resetAndDestroy",
    server: echo,
    client: async (address, log) => {
      const socket = log.watch(net.connect(address));
      await next(socket, "connect");
      log.add("reset", socket.resetAndDestroy());
      await closed(socket);
      socket.on("error", () => {});
      log.add("again", socket.resetAndDestroy());
    },
  },
  {
    name: "a socket made first and connected later",
    server: greet("end"),
    client: async (address, log) => {
      const socket = log.watch(new net.Socket());
      log.add("made", socket);
      log.read(socket);
      log.add("connect", socket.connect(address.port, address.host));
      await closed(socket);
    },
  },
  {
    name: "an abort signal destroys",
    server: echo,
    client: async (address, log) => {
      const controller = new AbortController();
      const socket = log.watch(net.connect({ ...address, signal: controller.signal }));
      await next(socket, "connect");
      controller.abort();
      await closed(socket);
    },
  },
];

describe("a simulated socket behaves as a net.Socket on loopback does", () => {
  test.each(scenarios)("$name", { tags: "long" }, async ({ server, client }) => {
    const real = new Log();
    await againstReal(server(), (address) => client(address, real));
    expect(real.lines.length).toBeGreaterThan(2);
    for (let seed = 0; seed < 10; seed += 1) {
      const simulated = new Log();
      await againstSimulated(new Kernel({ seed }), server(), (address) => client(address, simulated));
      expect(simulated.lines, `seed ${seed}`).toEqual(real.lines);
    }
  });
});

test("a simulated socket is a net.Socket and inherits nothing of consequence from it", () => {
  expect(SimulatedSocket.prototype).toBeInstanceOf(net.Socket);
  const own = new Set<PropertyKey>();
  for (
    let prototype: object = SimulatedSocket.prototype;
    prototype !== net.Socket.prototype;
    prototype = Object.getPrototypeOf(prototype) as object
  ) {
    for (const key of Reflect.ownKeys(prototype)) own.add(key);
  }
  const internals = /^_(?!read$|write$|writev$|final$|destroy$)/;
  // They add to Duplex only what the option `onread` needs.
  const plain = new Set(["end", "pause", "resume", "read"]);
  const missing = Object.getOwnPropertyNames(net.Socket.prototype).filter(
    (key) => !own.has(key) && !plain.has(key) && !internals.test(key),
  );
  expect(missing).toEqual([]);
});
