import { randomStream } from "../../../core/random.ts";
import { encodeCommand, fromBytes, toBytes } from "../protocol/resp-encoder.ts";
import type { EffectSink } from "../effects.ts";
import { createServer, type RedisServer, type RedisVersion } from "../server.ts";
import type { Session } from "../session.ts";
import { lookFor } from "../../../containers/engine/await-condition.ts";
import type { ClockFile } from "./clock-file.ts";
import { RealConnection } from "./real-connection.ts";
import type { Scenario, Step } from "./scenario.ts";

/** What one connection was sent after a step, on the real server and on the simulated one. */
export interface ScenarioDifference {
  readonly step: Step;
  readonly connection: string;
  readonly real: string;
  readonly simulated: string;
}

interface Target {
  readonly version: RedisVersion;
  readonly host: string;
  readonly port: number;
  readonly clock: ClockFile;
  /** Takes the simulated server's effects. */
  readonly onEffects?: EffectSink;
}

const PATIENCE_MS = 5_000;

/** Runs a scenario on both servers and compares, step by step, what each connection receives. */
export async function runScenario(scenario: Scenario, target: Target): Promise<readonly ScenarioDifference[]> {
  const names = [...new Set(scenario.steps.map((step) => step.on))];
  const rest = [...scenario.steps];
  return runSteps({ ...scenario, names, next: () => rest.shift() }, target);
}

/** A scenario that is made as it goes. */
interface OpenScenario extends Pick<Scenario, "config" | "marker"> {
  readonly names: readonly string[];
  /** The next step, by connections that are not blocked; undefined: that was all. */
  next(blocked: ReadonlySet<string>): Step | undefined;
}

/** As `runScenario`. */
export async function runSteps(scenario: OpenScenario, target: Target): Promise<readonly ScenarioDifference[]> {
  await using real = new RealSide(target, scenario.marker ?? "ping");
  const simulated = new SimulatedSide(target);
  const differences: ScenarioDifference[] = [];
  const { names } = scenario;
  await real.begin(names, scenario.config ?? {});
  simulated.begin(names, scenario.config ?? {});
  for (;;) {
    const step = scenario.next(simulated.blocked);
    if (step === undefined) break;
    if (step.advanceMs !== undefined) {
      target.clock.set(target.clock.nowUs + step.advanceMs * 1000);
      simulated.wake();
      await real.awaitBlocked(simulated.blocked);
    }
    const ours = simulated.play(step);
    const theirs = await real.play(step, simulated);
    for (const name of names) {
      const [a, b] = [mask(theirs.get(name) ?? ""), mask(ours.get(name) ?? "")];
      if (a !== b) differences.push({ step, connection: name, real: a, simulated: b });
    }
  }
  await real.end(scenario.config ?? {});
  return differences;
}

/** Numbers of connections differ, and replication offsets. */
function mask(text: string): string {
  return text.replaceAll(/(?<=\$2\r\nid\r\n:|\$6\r\nmaster\r\n:)\d+/g, "N");
}

/** Bytes that a step sends. */
function bytesOf(step: Step): string {
  if (step.raw !== undefined) return step.raw;
  return step.send === undefined ? "" : encodeCommand(step.send);
}

/** The state of connections in the simulation, which the real server's must match. */
interface States {
  readonly blocked: ReadonlySet<string>;
  readonly closed: ReadonlySet<string>;
}

class RealSide implements AsyncDisposable {
  readonly #target: Target;
  readonly #connections = new Map<string, RealConnection>();
  #admin: RealConnection | undefined;
  #marks = 0;
  #blockedBefore = 0;
  readonly #marker: string;

  constructor(target: Target, marker: string) {
    this.#marker = marker;
    this.#target = target;
  }

  async begin(names: readonly string[], config: Readonly<Record<string, string>>): Promise<void> {
    const { host, port } = this.#target;
    this.#admin = await RealConnection.open(host, port);
    await this.#admin.ask([
      ["flushall"],
      ["script", "flush"],
      ["function", "flush"],
      ["debug", "set-active-expire", "0"],
      ["config", "set", "notify-keyspace-events", ""],
      ...Object.entries(config).map(([name, value]) => ["config", "set", name, value]),
    ]);
    for (const name of names) this.#connections.set(name, await RealConnection.open(host, port));
  }

  /** Sends the step's bytes; returns what each connection received because of it. Blocked ones received nothing. */
  async play(step: Step, { blocked, closed }: States): Promise<ReadonlyMap<string, string>> {
    const received = new Map<string, string>();
    const sender = this.#connections.get(step.on);
    sender?.write(bytesOf(step));
    await this.awaitBlocked(blocked);
    // First a mark through the sender, so that its commands have been executed; then through all possible listeners.
    const order = [step.on, ...[...this.#connections.keys()].filter((name) => name !== step.on)];
    for (const name of order) {
      if (blocked.has(name)) continue;
      const isOver = closed.has(name) && !(step.closes === true && name === step.on);
      received.set(name, isOver ? await this.#last(name) : await this.#collect(name, step));
    }
    return received;
  }

  /** Waits until as many connections are blocked as in the simulation, and fails when that does not happen. */
  async awaitBlocked(blocked: ReadonlySet<string>): Promise<void> {
    if (blocked.size === 0 && this.#blockedBefore === 0) return;
    this.#blockedBefore = blocked.size;
    let found: string | undefined;
    const isSo = await lookFor(PATIENCE_MS, async () => {
      const [info = ""] = (await this.#admin?.ask([["info", "clients"]])) ?? [];
      found = /blocked_clients:(\d+)/.exec(info)?.[1];
      return found === String(blocked.size) ? true : undefined;
    });
    if (isSo !== true) throw new Error(`${found} connections are blocked, and ${blocked.size} in the simulation`);
  }

  /** The server has closed this connection, although nothing came over it. */
  async #last(name: string): Promise<string> {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    return (await connection?.readToEnd()) ?? "";
  }

  async #collect(name: string, step: Step): Promise<string> {
    const connection = this.#connections.get(name);
    if (connection === undefined) return "";
    if (step.closes === true && name === step.on) {
      this.#connections.delete(name);
      return connection.readToEnd();
    }
    if (step.inTransaction?.includes(name) === true) return name === step.on ? connection.readReply() : "";
    if (step.silent === true && name === step.on) return "";
    const text = await this.#readToMark(connection);
    // A server that found the step and the mark at one time sends what it tells at the end of its round after the mark.
    return name === step.on ? text + (await this.#readToMark(connection)) : text;
  }

  /** What came before the answer to a mark that is sent now. */
  async #readToMark(connection: RealConnection): Promise<string> {
    this.#marks += 1;
    const mark = `mark-${this.#marks}`;
    connection.write(encodeCommand([this.#marker, mark]));
    const text = await connection.readUntil(`${mark}\r\n`);
    return text.replace(/(?:\*2\r\n\$4\r\npong\r\n)?\$\d+\r\n$/, "");
  }

  /** Undoes the configuration, so that the next scenario finds a fresh server. */
  async end(config: Readonly<Record<string, string>>): Promise<void> {
    const defaults = Object.keys(config).map((name) => ["config", "set", name, DEFAULTS[name] ?? ""]);
    await this.#admin?.ask([...DEFAULT_STEPS, ...defaults]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of [...this.#connections.values(), this.#admin]) await connection?.[Symbol.asyncDispose]();
  }
}

/** What scenarios change, as it was. */
const DEFAULTS: Readonly<Record<string, string>> = {
  maxmemory: "0",
  "min-replicas-to-write": "0",
  "replica-serve-stale-data": "yes",
};
const DEFAULT_STEPS = [
  ["replicaof", "no", "one"],
  ["config", "set", "replica-read-only", "yes"],
  ["config", "set", "requirepass", ""],
  ["config", "set", "notify-keyspace-events", ""],
  ...Object.entries(DEFAULTS).map(([name, value]) => ["config", "set", name, value]),
];

class SimulatedSide implements States {
  readonly #target: Target;
  readonly #sessions = new Map<string, { session: Session; text: string }>();
  #server: RedisServer | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  begin(names: readonly string[], config: Readonly<Record<string, string>>): void {
    const { version, clock, onEffects } = this.#target;
    const server = createServer({
      version,
      nowUs: () => clock.nowUs,
      random: randomStream(1, "scenario"),
      config,
      ...(onEffects === undefined ? {} : { onEffects }),
    });
    this.#server = server;
    for (const name of names) {
      const entry = {
        text: "",
        session: server.connect({
          onOutput: (bytes) => {
            entry.text += fromBytes(bytes);
          },
        }),
      };
      this.#sessions.set(name, entry);
    }
  }

  get blocked(): ReadonlySet<string> {
    return this.#those((session) => session.isBlocked);
  }

  get closed(): ReadonlySet<string> {
    return this.#those((session) => session.closed);
  }

  #those(is: (session: Session) => boolean): ReadonlySet<string> {
    return new Set([...this.#sessions].filter(([, { session }]) => is(session)).map(([name]) => name));
  }

  /** The time has changed: connections that waited long enough are answered. */
  wake(): void {
    this.#server?.enter(() => {});
  }

  play(step: Step): ReadonlyMap<string, string> {
    this.#sessions.get(step.on)?.session.receive(toBytes(bytesOf(step)));
    const received = new Map<string, string>();
    for (const [name, entry] of this.#sessions) {
      if (entry.session.isBlocked) continue;
      received.set(name, entry.text);
      entry.text = "";
    }
    return received;
  }
}
