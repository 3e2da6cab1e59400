import type { NodeServer } from "../containers/setup/images.ts";
import type { Backend } from "../core/topologies/backend.ts";
import type { TopologySpec } from "../core/topology.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import type { Property } from "../core/verdict.ts";

/**
 * The default export of `lockstorm.config.ts`: the flags of the command line under their names in camel case. A flag on
 * the command line, and a variable of the environment (`LOCKSTORM_PROXY_PORT`), override it.
 *
 *     import type { Config } from "lockstorm";
 *
 *     export default { lock: "./my-lock.ts", topology: "sentinel" } satisfies Config;
 */
export interface Config {
  /** The lock that is hunted: a name, or the path of a driver from the working directory. */
  readonly lock?: string;
  readonly topology?: TopologyKind;
  /** The persistence of the nodes. */
  readonly persistence?: TopologySpec["persistence"];
  /** Kinds of faults to draw from. */
  readonly faults?: readonly string[];
  readonly backend?: Backend;
  /** How many plans to try. */
  readonly runs?: number;
  /** No run begins after this time: a number of seconds, or a text such as `"5m"`. */
  readonly budget?: number | string;
  /** How many runs shrinking may take. */
  readonly shrinkRuns?: number;
  /** `auto` takes the seed from the commit. */
  readonly seed?: number | "auto";
  /** The properties that decide. */
  readonly require?: readonly Property[];
  /** The server that nodes in containers run. */
  readonly server?: NodeServer;
  /** Port of Toxiproxy's own interface on 127.0.0.1. */
  readonly proxyPort?: number;
  /** Where runs are recorded. */
  readonly store?: string;
}
