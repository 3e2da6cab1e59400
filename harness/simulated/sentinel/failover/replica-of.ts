import type { Instance } from "../instance.ts";
import type { NodeAddress } from "../node-address.ts";

/**
 * Makes a node a replica of `address`, or a master. One transaction tells it so, makes it write its configuration, and
 * closes the connections of its clients, so that they ask a Sentinel again. False when there is no connection.
 */
export function sendReplicaOf({ link }: Instance, address: NodeAddress | undefined): boolean {
  const [host, port] = address === undefined ? ["NO", "ONE"] : [address.host, String(address.port)];
  const commands = [
    ["MULTI"],
    ["SLAVEOF", host, port],
    ["CONFIG", "REWRITE"],
    ["CLIENT", "KILL", "TYPE", "normal"],
    ["CLIENT", "KILL", "TYPE", "pubsub"],
    ["EXEC"],
  ];
  // The next INFO shows the result.
  return commands.every((argv) => link.request(argv));
}
