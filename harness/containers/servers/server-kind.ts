/**
 * The kinds of servers that a node can run: the only place where the containers distinguish them.
 *
 * To add a server:
 * 1. `docker/<server>`: an image that keeps the node contract of docker/README.md (the server is process 1, reads
 *    `/control/node.conf`, appends to the log `/control/node.log`, `wipe` empties it), and a line in `../setup/images.ts`.
 * 2. A file beside this one that exports a `DataServer`: its port, its image, its configuration, what it answers
 *    before a log-in, and the harness's own access to it.
 * 3. Its topology: a file in `harness/core/topologies` and a line in their registry, its line in `data-servers.ts`, and
 *    its address in `Servers` (`harness/core/lock-driver.ts`), which the topology fills in.
 * 4. The faults that cannot happen to it: `unsupportedReason` in the files of `faults`.
 */
import type { Evidence } from "../../core/system.ts";
import type { TopologySpec } from "../../core/topology.ts";
import type { Address } from "../../core/lock-driver.ts";

/** A kind of server. */
export interface ServerKind {
  readonly role: "data" | "sentinel";
  readonly port: number;
  /** What a living server answers at once, to any client, over a connection that can be dropped afterwards. */
  readonly probe: Probe;
  /** Whether its access's `clean` can reset a server while it runs: a pool keeps only such servers. */
  readonly renewable: boolean;
  /**
   * Present where a client's holds end with its connection. Such a server must not see its connections end before it is
   * killed: in its last moments it would grant its clients' holds to others.
   */
  readonly heldByConnection?: true;
  /** Matches its last output when its configuration is the cause. */
  readonly badConfiguration: RegExp;
  /** The name of the image; `redisImage` is the one that the run has chosen for Redis servers. */
  image(redisImage: string): string;
  /**
   * Opens the harness's own access to a server.
   * @throws UserError when a package for it is missing
   */
  access(name: string, address: Address): Promise<ServerAccess>;
}

/** A kind of server that holds the lock's data. */
export interface DataServer extends ServerKind {
  /** The arguments of the container. */
  readonly command: readonly string[];
  /** The content of `node.conf`. `follows` is the address of its master, where it is a replica. */
  configuration(topology: TopologySpec, follows?: string): string;
  /**
   * Whether it may have acknowledged what is not yet synced to disk, so that a power loss loses more than a kill.
   * Nobody outside the server knows how much.
   */
  syncsLate(topology: TopologySpec): boolean;
}

/** A request that needs no log-in. */
export interface Probe {
  /** Its name in the server's protocol, for evidence: `PING`. */
  readonly name: string;
  readonly bytes: string | Uint8Array;
}

/**
 * The harness's own access to one server, on a path that no fault touches. It reconnects by itself while it is open; a
 * request without a connection fails at once. Every method but `open` rejects when the server does not answer in time.
 */
export interface ServerAccess extends Disposable {
  /** Call it when the server was started. Dispose it when the server ends; this method opens it again. */
  open(): void;
  /** Resolves when the server answers and has loaded its data. */
  ready(): Promise<void>;
  /** The role that a data node reports; a node without replicas is a master. */
  role(): Promise<"master" | "slave">;
  /** How much a data node holds, for evidence: `3 keys`. */
  contents(): Promise<string>;
  /** All settings in force, as one text to compare. */
  configuration(): Promise<string>;
  /**
   * Ends every connection but its own, and deletes all data: a renewable server is then as good as new. A Sentinel
   * forgets its master with all that it knows about it.
   * @param master the address of the data node that this data node follows, if any
   */
  clean(master?: string): Promise<void>;
  /** Steps the wall clock by `ms`, by calling `step`, and checks how the server reacts. */
  seeStep(ms: number, step: () => Promise<void>): Promise<Evidence>;
  /** Runs a command in the server's own language. */
  command(...args: readonly (string | number)[]): Promise<unknown>;
}

/** How long a server may take for a command, in milliseconds. */
export const COMMAND_TIMEOUT_MS = 2_000;
