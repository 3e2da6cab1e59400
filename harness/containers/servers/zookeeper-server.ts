import { ZOOKEEPER_IMAGE } from "../setup/images.ts";
import { ZOOKEEPER_PORT, zookeeperConfiguration } from "./zookeeper-configuration.ts";
import { ZooKeeperQuestions } from "./zookeeper-questions.ts";
import { HarnessError } from "../../core/errors.ts";
import type { Evidence } from "../../core/system.ts";
import { type DataServer, type ServerAccess } from "./server-kind.ts";
import { seeStepByTime } from "./clock-step.ts";

/**
 * A standalone ZooKeeper server. It cannot be reset while it runs: sessions of gone clients last until they time out,
 * and the transaction number continues.
 */
export const zookeeperServer: DataServer = {
  role: "data",
  port: ZOOKEEPER_PORT,
  probe: { name: "ruok", bytes: "ruok" },
  renewable: false,
  badConfiguration: /Invalid config|Error processing|Unable to parse|NumberFormatException/,
  command: ["server"],
  image: () => ZOOKEEPER_IMAGE,
  configuration: zookeeperConfiguration,
  syncsLate: ({ persistence }) => persistence !== "always",
  access: (name, address) => Promise.resolve(new ZooKeeperAccess(name, new ZooKeeperQuestions(name, address))),
};

/** A server that is just starting can accept a connection and never answer on it; then another attempt is better. */
const READY_WITHIN_MS = 300;

class ZooKeeperAccess implements ServerAccess {
  readonly #name: string;
  readonly #questions: ZooKeeperQuestions;

  constructor(name: string, questions: ZooKeeperQuestions) {
    this.#name = name;
    this.#questions = questions;
  }

  /** Each question is a connection of its own. */
  open(): void {}

  /** One of the four-letter words that the configuration allows; returns the answer as text. */
  command(word: string | number): Promise<string> {
    return this.#questions.ask(String(word));
  }

  async ready(): Promise<void> {
    const answer = await this.#questions.ask("srvr", READY_WITHIN_MS);
    if (!answer.includes("Mode: standalone")) throw new HarnessError(`${this.#name} does not serve yet: ${answer}`);
  }

  async role(): Promise<"master"> {
    await this.ready();
    return "master";
  }

  async contents(): Promise<string> {
    const [, count] = /^Node count: (\d+)$/m.exec(await this.command("srvr")) ?? [];
    return `${count ?? "unknown"} znodes`;
  }

  configuration(): Promise<string> {
    return this.command("conf");
  }

  clean(): Promise<never> {
    return Promise.reject(new HarnessError(`${this.#name} cannot be made as new while it runs`));
  }

  seeStep(ms: number, step: () => Promise<void>): Promise<Evidence> {
    return seeStepByTime(this.#name, ms, { nowMs: () => this.#questions.nowMs(), step });
  }

  [Symbol.dispose](): void {}
}
