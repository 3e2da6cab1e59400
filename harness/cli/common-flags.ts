import { NODE_SERVERS, type NodeServer } from "../containers/images.ts";
import { PROPERTIES, type Property } from "../core/verdict.ts";
import { STORE } from "../run/store.ts";
import type { Flag, Flags } from "./command.ts";

/** Flags of every command that runs plans. */
export const runFlags = {
  require: { value: "properties", help: "properties that decide the verdict, separated by commas" },
  server: { value: "server", help: `what the nodes run: ${NODE_SERVERS.join(", ")}`, default: "redis8" },
  "proxy-port": {
    value: "port",
    help: "port of Toxiproxy's own interface on 127.0.0.1; 0 takes a free one",
    default: "0",
  },
  store: { value: "folder", help: "where runs are recorded", default: STORE },
  json: { help: "print the verdict as JSON" },
} satisfies Record<string, Flag>;

/** The values of `runFlags`. */
export function readRunFlags(flags: Flags): {
  readonly required: readonly Property[] | undefined;
  readonly server: NodeServer;
  readonly proxyPort: number;
  readonly store: string;
  readonly json: boolean;
} {
  return {
    required: flags.list("require", PROPERTIES),
    server: flags.choice("server", NODE_SERVERS) ?? "redis8",
    proxyPort: flags.integer("proxy-port", 0, 65_535) ?? 0,
    store: flags.text("store") ?? STORE,
    json: flags.on("json"),
  };
}
