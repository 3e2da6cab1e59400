import type { Service } from "../../campaign/serve/service.ts";
import type { TopologySpec } from "../../core/topology.ts";
import { textTable } from "../catalogue/text-table.ts";
import { connectionLines } from "./connection-lines.ts";

/** What a service says at its start: where each client reaches each server, and lines to connect with. */
export function greeting(service: Service, { kind }: TopologySpec, seed: number): string {
  const parts = service.clients.map((client) => {
    const rows = service.addressesOf(client).map(([server, { host, port }]) => [`  ${server}`, `${host}:${port}`]);
    const lines = connectionLines(service.serversFor(client)).map(([library, line]) => [`  ${library}`, line]);
    return `\n${textTable([client, ""], rows)}${textTable(["  connect with", ""], lines)}`;
  });
  return `simulated Redis, topology ${kind}, seed ${seed}, on this machine only\n${parts.join("")}\nhelp lists the commands\n`;
}
