import { Socket } from "node:net";
import type pg from "pg";
import type { Client } from "pg";
import { HarnessError, messageOf, UserError } from "../../core/errors.ts";
import type { Address } from "../../core/lock-driver.ts";
import { POSTGRES_DATABASE, POSTGRES_USER } from "./postgres-configuration.ts";
import { COMMAND_TIMEOUT_MS } from "./server-kind.ts";

/**
 * A connection to a running server takes milliseconds; to a server that does not run yet, waiting longer only delays
 * the next attempt.
 */
const CONNECT_TIMEOUT_MS = 500;

/** What a query gives: its rows, by column. */
type Rows = readonly Readonly<Record<string, unknown>>[];

/** An open connection, or one that is being made. */
interface Attempt {
  readonly socket: Socket;
  readonly client: Promise<Client>;
}

/**
 * The harness's own connection to a PostgreSQL server, made when it is needed: a query without a connection makes one,
 * or fails at once. A query that fails closes the connection.
 */
export class PostgresConnection implements Disposable {
  readonly #name: string;
  readonly #address: Address;
  readonly #pg: typeof pg;
  #attempt: Attempt | undefined;
  #closed = false;

  private constructor(name: string, address: Address, library: typeof pg) {
    this.#name = name;
    this.#address = address;
    this.#pg = library;
  }

  /**
   * @param name of the server, for errors
   * @throws UserError when the package `pg` is not installed: only users of such servers need it
   */
  static async to(name: string, address: Address): Promise<PostgresConnection> {
    return new PostgresConnection(name, address, await loadPackage());
  }

  open(): void {
    this.#drop();
    this.#closed = false;
  }

  /** Runs one statement. @throws HarnessError when it fails, or takes too long */
  async query(statement: string, parameters: readonly (string | number)[] = []): Promise<Rows> {
    try {
      if (this.#closed) throw new Error("its server does not run");
      const client = await (this.#attempt ??= this.#connect()).client;
      const { rows } = await client.query<Record<string, unknown>>(statement, [...parameters]);
      return rows;
    } catch (error) {
      this.#drop();
      throw new HarnessError(`${this.#name} did not execute ${statement}: ${messageOf(error)}`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#drop();
  }

  #connect(): Attempt {
    const socket = new Socket();
    const client = new this.#pg.Client({
      ...this.#address,
      user: POSTGRES_USER,
      database: POSTGRES_DATABASE,
      ssl: false,
      stream: () => socket,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: COMMAND_TIMEOUT_MS,
    });
    const attempt: Attempt = { socket, client: client.connect().then(() => client) };
    // A node that faults stop loses its connections all the time; a failed query reports what matters.
    client.on("error", () => {});
    client.on("end", () => {
      if (this.#attempt === attempt) this.#attempt = undefined;
    });
    return attempt;
  }

  /** Without a goodbye: a stopped server would never answer. */
  #drop(): void {
    this.#attempt?.socket.destroy();
    this.#attempt = undefined;
  }
}

async function loadPackage(): Promise<typeof pg> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw new UserError(
      "the topology postgres needs a package from npm that is not installed",
      "install it beside lockstorm: npm install pg",
      { cause: error },
    );
  }
}
