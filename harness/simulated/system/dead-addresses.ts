import { RESOURCE } from "../../core/topology.ts";
import type { Host } from "../kernel/host.ts";
import type { Network } from "../network/network.ts";

/** A library may look for its servers on hundreds of ports. */
const MOST_NAMED = 3;

/**
 * Says to which addresses a client tried to connect although nothing ever listened there; undefined if it did not. The
 * usual reason is a driver that does not give its library the addresses in `servers`, so that it uses its default one.
 */
export function deadAddressWords(network: Network, host: Host): string | undefined {
  const addresses = network.deadAddressesOf(host);
  if (addresses.length === 0) return undefined;
  const more = addresses.length > MOST_NAMED ? ` and ${addresses.length - MOST_NAMED} more` : "";
  const what = addresses.length === 1 ? "an address that is" : "addresses that are";
  return `it tried to connect to ${what} not in \`servers\`: ${addresses.slice(0, MOST_NAMED).join(", ")}${more}`;
}

/**
 * Says that a client has not tried to connect to any server of the lock; undefined if it has. The usual reason is a driver
 * that does not call `connect()` of its Redis client.
 */
export function unconnectedWords(network: Network, host: Host): string | undefined {
  if (network.deadAddressesOf(host).length > 0) return undefined;
  if (network.soughtBy(host).some(({ name }) => name !== RESOURCE)) return undefined;
  return "its driver has not tried to connect to a server so far";
}
