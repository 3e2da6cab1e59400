import type { NodeServer } from "../containers/setup/images.ts";
import type { Backend } from "../core/topologies/backend.ts";
import type { TopologySpec } from "../core/topology.ts";
import type { TopologyKind } from "../core/topologies/registry.ts";
import type { Property } from "../core/verdict.ts";

/**
 * The default export of `lockstorm.config.ts`: defaults for flags, under their names in camel case. A flag on the command line
 * overrides it, and so does an environment variable (`LOCKSTORM_PROXY_PORT`).
 *
 *     import type { Config } from "lockstorm";
 *
 *     export default { lock: "./my-lock.ts", topology: "sentinel" } satisfies Config;
 */
export interface Config {
  /** The lock under test: a name, or the path of a driver relative to the working directory. */
  readonly lock?: string;
  readonly topology?: TopologyKind;
  /** What the nodes keep on disk. */
  readonly persistence?: TopologySpec["persistence"];
  /** Kinds of faults to draw from. */
  readonly faults?: readonly string[];
  readonly backend?: Backend;
  /** How many plans to run. */
  readonly runs?: number;
  /** No run starts after this time: a number of seconds, or a text such as `"5m"`. */
  readonly budget?: number | string;
  /** How many runs may be used to shrink a counterexample. */
  readonly shrinkRuns?: number;
  /** `auto` takes the seed from the commit. */
  readonly seed?: number | "auto";
  /** The properties that decide the verdict. */
  readonly require?: readonly Property[];
  /** The server software of nodes in containers. */
  readonly server?: NodeServer;
  /** Port of Toxiproxy's own interface on 127.0.0.1. */
  readonly proxyPort?: number;
  /** Where runs are recorded. */
  readonly store?: string;
}
