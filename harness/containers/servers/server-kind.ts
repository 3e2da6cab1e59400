/**
 * What a node can run: the one place where the containers know one kind of server from another.
 *
 * To add a server:
 * 1. `docker/<server>`: an image that keeps the node contract of docker/README.md (the server is process 1, reads
 *    `/control/node.conf`, appends to the log `/control/node.log`, `wipe` empties it), and a line in `../images.ts`.
 * 2. A file beside this one that exports a `DataServer`: its port, its image, its configuration, what it answers to
 *    whoever has not logged in, and the harness's own access to it.
 * 3. Its topology in `harness/core/topology.ts`, its line in `data-servers.ts`, its address in `Servers`
 *    (`lock-impl/driver.ts`), which `../container-cast.ts` fills in.
 * 4. What faults cannot do to it: `lack` in the files of `faults`.
 */
import type { Evidence } from "../../core/system.ts";
import type { TopologySpec } from "../../core/topology.ts";
import type { Address } from "../../../lock-impl/driver.ts";

/** A kind of server. */
export interface ServerKind {
  readonly role: "data" | "sentinel";
  readonly port: number;
  /** What a living server answers at once, to anybody, over a connection that can be dropped after it. */
  readonly probe: Probe;
  /** Whether a server can be made as new while it runs, by its access's `clean`: a pool keeps such servers only. */
  readonly renewable: boolean;
  /**
   * Present where what a client holds goes with its connection. Such a server must not see its connections end before it
   * is killed: it would give to others what its clients had, in its last moments.
   */
  readonly heldByConnection?: true;
  /** What its last words look like when its configuration is to blame. */
  readonly badConfiguration: RegExp;
  /** The name of the image; `redisImage` is the one that the run has chosen for Redis servers. */
  image(redisImage: string): string;
  /** Opens the harness's own access to a server. @throws UserError when a package is missing for it */
  access(name: string, address: Address): Promise<ServerAccess>;
}

/** A kind of server that holds the lock's data. */
export interface DataServer extends ServerKind {
  /** What the container is told to run. */
  readonly command: readonly string[];
  /** The content of `node.conf`. `follows` is the address of its master, where it is a replica. */
  configuration(topology: TopologySpec, follows?: string): string;
  /**
   * Whether it may have acknowledged what is not yet synced to disk, so that a loss of power takes more than a kill.
   * Nobody outside the server knows how much.
   */
  syncsLate(topology: TopologySpec): boolean;
}

/** A request that needs no log-in. */
export interface Probe {
  /** Its name in its protocol, for evidence: `PING`. */
  readonly name: string;
  readonly bytes: string | Uint8Array;
}

/**
 * The harness's own access to one server, on a way that no fault touches. It comes back by itself while it is open; what
 * is asked without a connection fails at once. Every method but `open` rejects when the server does not do it in time.
 */
export interface ServerAccess extends Disposable {
  /** To be called when the server was started; disposing is for its end, and can be undone by this. */
  open(): void;
  /** Resolves when the server answers and has loaded its data. */
  ready(): Promise<void>;
  /** What a data node says it is; one that has no replicas is a master. */
  role(): Promise<"master" | "slave">;
  /** How much a data node holds, for evidence: `3 keys`. */
  contents(): Promise<string>;
  /** All settings in force, as one text to compare. */
  configuration(): Promise<string>;
  /** Ends every connection but its own, and forgets all data: what a renewable server then knows is what a new one does. */
  clean(): Promise<void>;
  /** Has the wall clock stepped by `ms`, by calling `step`, and looks what the server makes of it. */
  seeStep(ms: number, step: () => Promise<void>): Promise<Evidence>;
  /** Runs a command in the server's own language. */
  command(...args: readonly (string | number)[]): Promise<unknown>;
}

/** How long a server may take for a command, in milliseconds. */
export const COMMAND_TIMEOUT_MS = 2_000;

/** For servers that tell the time: asks before and after the step. `nowMs` gives the server's, since the epoch. */
export async function seeStepByTime(
  name: string,
  ms: number,
  { nowMs, step }: { readonly nowMs: () => Promise<number>; readonly step: () => Promise<void> },
): Promise<Evidence> {
  const errorMs = async (): Promise<number> => Math.round((await nowMs()) - Date.now());
  const before = await errorMs();
  await step();
  const after = await errorMs();
  const detail = `the clock of ${name} was ${before} ms off, then ${after} ms`;
  // Servers tell it to the microsecond, but the answer travels: a few milliseconds either way are the harness's own.
  return { observed: Math.abs(after - before - ms) < 50, detail };
}
