import { randomStream } from "../../../core/random.ts";
import { encodeCommand, fromBytes, toBytes } from "../protocol/resp-encoder.ts";
import { createServer, type RedisServer, type ServerOptions } from "../server.ts";
import type { Session } from "../session.ts";

/** A wall clock for tests, in milliseconds. */
export class TestClock {
  ms = 1_700_000_000_000;
}

/** A server whose clock stands still. */
export function testServer(clock: TestClock, options: Partial<ServerOptions> = {}): RedisServer {
  return createServer({ nowUs: () => clock.ms * 1000, random: randomStream(1, "test"), ...options });
}

/** A connection that shows what it is sent, as bytes. */
export class TestClient {
  readonly session: Session;
  closed = false;
  #received = "";

  constructor(server: RedisServer) {
    this.session = server.connect({
      onOutput: (bytes) => {
        this.#received += fromBytes(bytes);
      },
      onClose: () => {
        this.closed = true;
      },
    });
  }

  /** Runs a command, its arguments separated by blanks; returns everything that has come since the last call. */
  run(line: string): string {
    return this.command(...line.split(" "));
  }

  command(...argv: readonly string[]): string {
    this.send(encodeCommand(argv));
    return this.take();
  }

  send(bytes: string): void {
    this.session.receive(toBytes(bytes));
  }

  /** The output since the last call. */
  take(): string {
    const received = this.#received;
    this.#received = "";
    return received;
  }
}
