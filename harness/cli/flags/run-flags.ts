import { type Backend, BACKENDS } from "../../core/topologies/backend.ts";
import type { RunEnvironment } from "../../campaign/run-environment.ts";
import { NODE_SERVERS } from "../../containers/setup/images.ts";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { STORE } from "../../run/store.ts";
import type { Flag, Flags } from "../command.ts";
import { drawRun } from "../draw-run.ts";

/** The flag that chooses the backend. */
export const backendFlag: Flag = {
  value: "backend",
  help: "simulated (deterministic simulation: fast, repeatable), live (client processes on simulated servers, in real time, no engine) or containers (real servers)",
  choices: BACKENDS,
};

/** The value of `--backend`. */
export function readBackend(flags: Flags): Backend | undefined {
  return flags.choice("backend", BACKENDS);
}

/** Flags of every command that runs plans. */
export const runFlags = {
  require: {
    value: "properties",
    help: "properties that decide the verdict, separated by commas",
    choices: PROPERTIES,
  },
  server: {
    value: "server",
    help: `server that the nodes run: ${NODE_SERVERS.join(", ")}`,
    default: "redis8",
    choices: NODE_SERVERS,
  },
  "proxy-port": {
    value: "port",
    help: "port of Toxiproxy's HTTP API on 127.0.0.1; 0 takes a free port",
    default: "0",
  },
  store: { value: "folder", help: "where runs are recorded", default: STORE },
  json: { help: "print the verdict as JSON" },
} satisfies Record<string, Flag>;

/** The values of `runFlags`. */
export interface RunFlagValues {
  readonly required: readonly Property[] | undefined;
  readonly json: boolean;
  readonly store: string;
  /** Where and how plans run, without the listeners to their progress. */
  readonly environment: RunEnvironment;
}

/**
 * Reads `runFlags`, once per command.
 * @throws UserError for an invalid value
 */
export function readRunFlags(flags: Flags): RunFlagValues {
  const store = flags.text("store") ?? STORE;
  return {
    required: flags.list("require", PROPERTIES),
    json: flags.on("json"),
    store,
    environment: {
      store,
      server: flags.choice("server", NODE_SERVERS),
      proxyPort: flags.integer("proxy-port", 0, 65_535, { example: 8474 }),
      drawRun,
    },
  };
}
