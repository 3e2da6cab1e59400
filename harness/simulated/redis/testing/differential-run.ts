import { randomStream } from "../../../core/random.ts";
import { EffectStream } from "../effects.ts";
import { encodeCommand, fromBytes, toBytes } from "../protocol/resp-encoder.ts";
import { createServer, type RedisServer, type RedisVersion } from "../server.ts";
import type { Session } from "../session.ts";
import type { ClockFile } from "./clock-file.ts";
import { isInexact, sameReply } from "./compare.ts";
import { RealConnection } from "./real-connection.ts";
import { RealReplica } from "./real-replica.ts";
import { ReplyReader } from "./reply-frames.ts";

/** Something in which the two servers did not do the same. */
export interface Difference {
  readonly what: "reply" | "effects" | "notifications" | "state";
  /** The command, or for effects and notifications the batch. */
  readonly commands: readonly (readonly string[])[];
  readonly real: string;
  readonly simulated: string;
}

export interface DifferentialOptions {
  readonly version: RedisVersion;
  readonly host: string;
  readonly port: number;
  readonly clock: ClockFile;
  readonly seed: number;
}

const MARK = "--end-of-batch--";

/**
 * Sends a real server and a simulated one the same commands and compares the results: replies, effects for replicas,
 * keyspace events, and the data afterwards. Both have the same clock, which stands still within a batch.
 */
export class DifferentialRun implements AsyncDisposable {
  readonly differences: Difference[] = [];
  commands = 0;
  readonly server: RedisServer;
  readonly #resources = new AsyncDisposableStack();
  readonly #reader = new ReplyReader();
  readonly #session: Session;
  readonly #stream = new EffectStream();
  #effects = "";
  #events = "";
  #real: RealConnection;
  #realEvents: RealConnection;
  #replica: RealReplica;
  #marks = 0;

  private constructor(
    options: DifferentialOptions,
    links: { real: RealConnection; events: RealConnection; replica: RealReplica },
  ) {
    this.#real = links.real;
    this.#realEvents = links.events;
    this.#replica = links.replica;
    for (const link of [links.real, links.events, links.replica]) this.#resources.use(link);
    this.server = createServer({
      version: options.version,
      nowUs: () => options.clock.nowUs,
      random: randomStream(options.seed, "server"),
      onEffects: (effects) => {
        this.#effects += this.#stream.encode(effects, "replicas");
      },
    });
    this.#session = this.server.connect({ onOutput: (bytes) => this.#reader.push(fromBytes(bytes)) });
    const listener = this.server.connect({
      onOutput: (bytes) => {
        this.#events += fromBytes(bytes);
      },
    });
    listener.receive(toBytes(encodeCommand(["psubscribe", "__key*", MARK])));
    this.#events = "";
  }

  static async open(options: DifferentialOptions): Promise<DifferentialRun> {
    const { host, port } = options;
    const real = await RealConnection.open(host, port);
    await real.ask([["config", "set", "repl-diskless-sync-delay", "0", "repl-timeout", "1000000000"]]);
    const events = await RealConnection.open(host, port);
    events.write(encodeCommand(["psubscribe", "__key*", MARK]));
    await events.readUntil(`${MARK}\r\n:2\r\n`);
    const replica = await RealReplica.follow(host, port);
    while (!(await real.ask([["info", "replication"]])).join("").includes("state=online"));
    replica.acknowledge();
    const run = new DifferentialRun(options, { real, events, replica });
    await run.#both([
      ["config", "set", "notify-keyspace-events", "KEAnm"],
      ["debug", "set-active-expire", "0"],
      ["script", "flush"],
    ]);
    await run.reset();
    return run;
  }

  /** Empties both servers. */
  async reset(): Promise<void> {
    await this.#both([["reset"], ["flushall"], ["script", "flush"], ["function", "flush"]]);
    await this.#finishBatch([], false);
  }

  /** Sends both the same commands, one after another, and compares. Returns the real server's replies. */
  async batch(next: () => string[], count: number): Promise<readonly string[]> {
    const commands: string[][] = [];
    const simulated: string[] = [];
    while (commands.length < count) {
      const argv = next();
      if (this.#session.transaction !== undefined && isInexact(argv)) continue;
      commands.push(argv);
      simulated.push(this.#simulate(argv));
    }
    const real = await this.#real.ask(commands);
    this.commands += commands.length;
    const before = this.differences.length;
    for (const [index, argv] of commands.entries()) {
      const [realReply = "", simulatedReply = ""] = [real[index], simulated[index]];
      if (sameReply(argv, realReply, simulatedReply)) continue;
      this.differences.push({
        what: "reply",
        commands: commands.slice(0, index + 1),
        real: realReply,
        simulated: simulatedReply,
      });
      break;
    }
    await this.#finishBatch(commands, this.differences.length === before);
    if (this.differences.length === before) await this.#compareState(commands);
    if (this.differences.length > before) await this.reset();
    return real;
  }

  #simulate(argv: readonly string[]): string {
    this.#session.receive(toBytes(encodeCommand(argv)));
    return this.#reader.next() ?? "";
  }

  async #both(commands: readonly string[][]): Promise<{ real: string[]; simulated: string[] }> {
    const simulated = commands.map((argv) => this.#simulate(argv));
    return { real: await this.#real.ask(commands), simulated };
  }

  /** Leaves transactions and subscriptions, and compares the messages to followers. */
  async #finishBatch(commands: readonly string[][], compare: boolean): Promise<void> {
    this.#marks += 1;
    const mark = `mark-${this.#marks}`;
    await this.#both([["reset"], ["publish", MARK, mark]]);
    const effects = await this.#replica.effectsUntil(mark);
    const events = await this.#realEvents.readUntil(`${mark}\r\n`);
    const ownEffects = this.#effects.slice(0, this.#effects.lastIndexOf("*3\r\n"));
    const ownEvents = this.#events.slice(0, this.#events.lastIndexOf(`${mark}\r\n`));
    this.#effects = "";
    this.#events = "";
    if (!compare) {
      return;
    }
    if (effects !== ownEffects) {
      this.differences.push({ what: "effects", commands, real: effects, simulated: ownEffects });
    }
    if (events !== ownEvents) {
      this.differences.push({ what: "notifications", commands, real: events, simulated: ownEvents });
    }
  }

  async #compareState(commands: readonly string[][]): Promise<void> {
    for (const [database, { slots }] of this.server.databases.slice(0, 2).entries()) {
      const questions = [["select", String(database)], ["dbsize"]];
      for (const key of slots.keys()) questions.push(...questionsAbout(key, slots.get(key)?.value.type));
      const { real, simulated } = await this.#both(questions);
      for (const [index, question] of questions.entries()) {
        const [realReply = "", simulatedReply = ""] = [real[index], simulated[index]];
        if (sameReply(question, realReply, simulatedReply)) continue;
        this.differences.push({
          what: "state",
          commands: [...commands, question],
          real: realReply,
          simulated: simulatedReply,
        });
        return;
      }
    }
    await this.#both([["reset"]]);
    await this.#finishBatch([], false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

function questionsAbout(key: string, type: string | undefined): string[][] {
  const questions = [
    ["type", key],
    ["pexpiretime", key],
    ["object", "encoding", key],
  ];
  switch (type) {
    case "string":
      return [...questions, ["get", key]];
    case "list":
      return [...questions, ["lrange", key, "0", "-1"]];
    case "hash":
      return [...questions, ["hgetall", key]];
    case "set":
      return [...questions, ["smembers", key]];
    case "zset":
      return [...questions, ["zrange", key, "0", "-1", "withscores"]];
    case "stream":
      return [...questions, ["xrange", key, "-", "+"], ["xinfo", "stream", key, "full", "count", "0"]];
    default:
      return questions;
  }
}
