import { awaitCondition } from "../engine/await-condition.ts";
import { POSTGRES_IMAGE } from "../setup/images.ts";
import { POSTGRES_PORT, postgresConfiguration } from "./postgres-configuration.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import type { Evidence } from "../../core/system.ts";
import { COMMAND_TIMEOUT_MS, type DataServer, type ServerAccess } from "./server-kind.ts";
import { seeStepByTime } from "./clock-step.ts";

/**
 * The request for encryption that may come before a log-in: the length, 8, and the code 80877103. The answer is one byte,
 * `N` here (PostgreSQL documentation, 53.2.10 "SSL Session Encryption").
 */
const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f);

/** Backends of clients, except the one that asks. */
const OTHERS = "backend_type = 'client backend' AND pid <> pg_backend_pid()";

/** A PostgreSQL server. */
export const postgresServer: DataServer = {
  role: "data",
  port: POSTGRES_PORT,
  probe: { name: "SSLRequest", bytes: SSL_REQUEST },
  renewable: true,
  heldByConnection: true,
  badConfiguration: /unrecognized configuration parameter|invalid value for parameter|contains errors/,
  command: ["server"],
  image: () => POSTGRES_IMAGE,
  configuration: postgresConfiguration,
  syncsLate: ({ persistence }) => persistence !== "always",
  access: async (name, address) => new PostgresAccess(name, await PostgresConnection.to(name, address)),
};

class PostgresAccess implements ServerAccess {
  readonly #name: string;
  readonly #connection: PostgresConnection;

  constructor(name: string, connection: PostgresConnection) {
    this.#name = name;
    this.#connection = connection;
  }

  open(): void {
    this.#connection.open();
  }

  /** An SQL statement and its parameters; gives the rows, each an object. */
  command(statement: string | number, ...parameters: readonly (string | number)[]): Promise<unknown> {
    return this.#connection.query(String(statement), parameters);
  }

  async ready(): Promise<void> {
    await this.#connection.query("SELECT 1");
  }

  async role(): Promise<"master" | "slave"> {
    return (await this.#value("pg_is_in_recovery()")) === true ? "slave" : "master";
  }

  async contents(): Promise<string> {
    return `${String(await this.#value("(SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r')"))} tables`;
  }

  async configuration(): Promise<string> {
    const rows = await this.#connection.query("SELECT name, setting FROM pg_settings ORDER BY name");
    return rows.map(({ name, setting }) => `${String(name)} ${String(setting)}`).join("\n");
  }

  async clean(): Promise<void> {
    await this.#forgetClients();
    await this.#connection.query("DROP SCHEMA public CASCADE");
    await this.#connection.query("CREATE SCHEMA public");
  }

  seeStep(ms: number, step: () => Promise<void>): Promise<Evidence> {
    const nowMs = async (): Promise<number> =>
      Number(await this.#value("extract(epoch FROM clock_timestamp()) * 1000"));
    return seeStepByTime(this.#name, ms, { nowMs, step });
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  /** Ends all connections but the harness's own, until none is left: one may still have been opening. */
  async #forgetClients(): Promise<void> {
    await awaitCondition(`${this.#name} is left by its clients`, COMMAND_TIMEOUT_MS, async (saw) => {
      await this.#connection.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OTHERS}`);
      const left = Number(await this.#value(`(SELECT count(*) FROM pg_stat_activity WHERE ${OTHERS})`));
      saw(`${left} clients`);
      return left === 0 ? true : undefined;
    });
  }

  async #value(expression: string): Promise<unknown> {
    const [row] = await this.#connection.query(`SELECT ${expression} AS value`);
    return row?.["value"];
  }
}
