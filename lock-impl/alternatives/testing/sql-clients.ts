import { expect } from "vitest";
import type { ContainerNode } from "../../../harness/containers/nodes/container-node.ts";
import type { ContainerServers } from "../../../harness/containers/container-servers.ts";
import type { Link } from "../../../harness/containers/links/links.ts";
import { nodeOf } from "../../../harness/containers/testing/servers.ts";
import type { Completion, Grant, LockClient } from "../../../harness/core/lock-driver.ts";
import type { LockEntry } from "../../lock-entry.ts";

const AWHILE = { timeout: 20_000, interval: 10 };
const never = new AbortController().signal;

/** A row, by column. */
type Row = Readonly<Record<string, unknown>>;

/** Clients of an SQL lock, each over its own link that a test can disturb. */
export class SqlClients implements AsyncDisposable {
  readonly node: ContainerNode;
  readonly a: LockClient;
  readonly b: LockClient;
  /** Of the first client. */
  readonly link: Link;
  /** Owner values whose loss the first client was told. */
  readonly lost: string[] = [];

  private constructor(node: ContainerNode, clients: readonly [LockClient, LockClient], link: Link) {
    this.node = node;
    [this.a, this.b] = clients;
    this.link = link;
    this.a.onLost?.(({ owner }) => this.lost.push(owner));
  }

  /** On a database as new. */
  static async connect(servers: ContainerServers, lock: LockEntry): Promise<SqlClients> {
    const driver = await lock.load();
    await servers.renew();
    const links = [...(await servers.link(["client-0", "client-1"])).values()].filter(({ name }) =>
      name.endsWith("node-0"),
    );
    const [link] = links;
    const clients = await Promise.all(
      links.map(({ name, address }) =>
        driver.connect({ client: name.slice(0, "client-0".length), servers: { kind: "postgres", address } }),
      ),
    );
    const [a, b] = clients;
    if (link === undefined || a === undefined || b === undefined) throw new Error("two clients, each with a link");
    return new SqlClients(nodeOf(servers, "node-0"), [a, b], link);
  }

  async query(statement: string): Promise<readonly Row[]> {
    return (await this.node.command(statement)) as readonly Row[];
  }

  /** How many sessions of clients wait for one of the database's own locks. */
  async waiting(): Promise<number> {
    const [row] = await this.query("SELECT count(DISTINCT pid) AS count FROM pg_locks WHERE NOT granted");
    return Number(row?.["count"]);
  }

  /** How many of the clients' sessions are in a transaction. */
  async transactions(): Promise<number> {
    const [row] = await this.query(
      "SELECT count(*) AS count FROM pg_stat_activity WHERE application_name = 'lockstorm-lock' AND state <> 'idle'",
    );
    return Number(row?.["count"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.a[Symbol.asyncDispose](), this.b[Symbol.asyncDispose]()]);
  }
}

/** One try for `k`, or what differs from that. */
export function acquire(
  client: LockClient,
  {
    key = "k",
    ttlMs = 10_000,
    waitMs = 0,
    signal = never,
  }: Partial<Parameters<LockClient["acquire"]>[1]> & { key?: string } = {},
): Promise<Completion<Grant>> {
  return client.acquire(key, { ttlMs, waitMs, signal });
}

/** The grant that a try must come to. */
export async function granted(client: LockClient, options: Parameters<typeof acquire>[1] = {}): Promise<Grant> {
  return valueOf(await acquire(client, options));
}

/** The expected outcome of an operation. */
export function valueOf<T>(completion: Completion<T> | undefined): T {
  if (completion?.type !== "ok") throw new Error(completion?.reason ?? "not supported");
  return completion.value;
}

/** Waits for a condition that is sure to come. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(condition, AWHILE).toBe(true);
}

export const CONTENDED = { type: "fail", kind: "contended" } as const;
