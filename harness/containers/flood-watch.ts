import type { Notice, ProcessState } from "../core/system.ts";
import { inFigures } from "../core/words/in-figures.ts";

const BETWEEN_LOOKS_MS = 500;
/**
 * Commands in a second that no plan asks for: a client that waits for a lock by asking each millisecond sends a thousand
 * at most. A program that sends the next request whenever one is answered sends as many as the machine allows, and
 * leaves the proxies and the harness no time for their work; several such programs share what the machine allows.
 */
const MOST_IN_A_SECOND = 5_000;

/** A Redis server that counts what it executes. */
export interface CountingServer {
  readonly name: string;
  /** The state that the faults so far have led to. */
  readonly expectedState: ProcessState;
  command(...args: readonly string[]): Promise<unknown>;
}

interface Count {
  readonly commands: number;
  /** When it was read, in milliseconds. */
  readonly atMs: number;
}

/**
 * Reports, once, that clients have a server execute commands without pause. The evidence is the server's own counter,
 * `total_commands_processed` (Redis documentation, INFO).
 */
export class FloodWatch implements Disposable {
  readonly #notify: (notice: Notice) => void;
  readonly #servers: readonly CountingServer[];
  readonly #counts = new Map<CountingServer, Count>();
  readonly #asked = new Set<CountingServer>();
  #timer: NodeJS.Timeout | undefined;

  constructor(servers: readonly CountingServer[], notify: (notice: Notice) => void) {
    this.#servers = servers;
    this.#notify = notify;
  }

  begin(): void {
    this.#timer = setInterval(() => this.look(performance.now()), BETWEEN_LOOKS_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Asks each running server that has answered the question before. @param nowMs the time, in milliseconds */
  look(nowMs: number): void {
    for (const server of this.#servers) {
      if (server.expectedState !== "running" || this.#asked.has(server)) continue;
      this.#asked.add(server);
      server
        .command("INFO", "stats")
        .then((answer) => this.#compare(server, { commands: commandsIn(answer), atMs: nowMs }))
        // A server that does not answer says nothing about what it executes.
        .catch(() => this.#counts.delete(server))
        .finally(() => this.#asked.delete(server));
    }
  }

  #compare(server: CountingServer, count: Count): void {
    const before = this.#counts.get(server);
    this.#counts.set(server, count);
    if (before === undefined) return;
    // Negative after a restart, which counts from 0.
    const commands = count.commands - before.commands;
    const withinMs = count.atMs - before.atMs;
    if (commands * 1000 < MOST_IN_A_SECOND * withinMs) return;
    this[Symbol.dispose]();
    const evidence = `clients had ${server.name} execute ${inFigures(commands)} commands within ${inFigures(withinMs, 0)} ms`;
    this.#notify({ kind: "flooded", name: server.name, evidence });
  }
}

/** @throws Error when the answer has no such field */
function commandsIn(answer: unknown): number {
  const commands = /^total_commands_processed:(\d+)/m.exec(String(answer))?.[1];
  if (commands === undefined) throw new Error("INFO has no total_commands_processed");
  return Number(commands);
}
