import type { Instance } from "./instance.ts";
import type { NodeAddress } from "./node-address.ts";

/**
 * Makes a node a replica of `address`, or a master. In one transaction it is told so, writes its configuration, and
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
  // What came of it is seen in the next INFO.
  return commands.every((argv) => link.request(argv));
}
