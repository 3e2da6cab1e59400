import { randomStream } from "../../../core/random.ts";
import { encodeCommand, fromBytes, toBytes } from "../resp-encoder.ts";
import { createServer, type RedisVersion } from "../server.ts";
import type { Session } from "../session.ts";
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
}

/** Plays a scenario on both servers and compares, step by step, what each connection receives. */
export async function runScenario(scenario: Scenario, target: Target): Promise<readonly ScenarioDifference[]> {
  await using real = new RealSide(target, scenario.marker ?? "ping");
  const simulated = new SimulatedSide(target);
  const differences: ScenarioDifference[] = [];
  const names = [...new Set(scenario.steps.map((step) => step.on))];
  for (const side of [real, simulated]) await side.begin(names, scenario.config ?? {});
  for (const step of scenario.steps) {
    if (step.advanceMs !== undefined) target.clock.set(target.clock.nowUs + step.advanceMs * 1000);
    const [theirs, ours] = [await real.play(step), await simulated.play(step)];
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

interface Side {
  begin(names: readonly string[], config: Readonly<Record<string, string>>): Promise<void>;
  /** Sends the step's bytes; gives what each connection received because of it. */
  play(step: Step): Promise<ReadonlyMap<string, string>>;
}

class RealSide implements Side, AsyncDisposable {
  readonly #target: Target;
  readonly #connections = new Map<string, RealConnection>();
  #admin: RealConnection | undefined;
  #marks = 0;
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
      ["debug", "set-active-expire", "0"],
      ["config", "set", "notify-keyspace-events", ""],
      ...Object.entries(config).map(([name, value]) => ["config", "set", name, value]),
    ]);
    for (const name of names) this.#connections.set(name, await RealConnection.open(host, port));
  }

  async play(step: Step): Promise<ReadonlyMap<string, string>> {
    const received = new Map<string, string>();
    const sender = this.#connections.get(step.on);
    sender?.write(bytesOf(step));
    // A mark through the sender first, so that its commands have been carried out; then through all who may listen.
    const order = [step.on, ...[...this.#connections.keys()].filter((name) => name !== step.on)];
    for (const name of order) received.set(name, await this.#collect(name, step));
    return received;
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

class SimulatedSide implements Side {
  readonly #target: Target;
  readonly #sessions = new Map<string, { session: Session; text: string }>();

  constructor(target: Target) {
    this.#target = target;
  }

  begin(names: readonly string[], config: Readonly<Record<string, string>>): Promise<void> {
    const { version, clock } = this.#target;
    const server = createServer({ version, nowUs: () => clock.nowUs, random: randomStream(1, "scenario"), config });
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
    return Promise.resolve();
  }

  play(step: Step): Promise<ReadonlyMap<string, string>> {
    this.#sessions.get(step.on)?.session.receive(toBytes(bytesOf(step)));
    const received = new Map<string, string>();
    for (const [name, entry] of this.#sessions) {
      received.set(name, entry.text);
      entry.text = "";
    }
    return Promise.resolve(received);
  }
}
