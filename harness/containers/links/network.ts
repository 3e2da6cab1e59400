import type Dockerode from "dockerode";
import { HarnessError, messageOf } from "../../core/errors.ts";

/** A bridge network with a subnet that we choose, so that every node's address is known in advance. */
export interface RunNetwork {
  readonly name: string;
  /** The address of host number `host`, 2 to 254. */
  address(host: number): string;
}

/**
 * Creates the network of a run in the first free /24 of 10.213.0.0/16. Takes the next one when the engine says that a
 * subnet is taken: another run may be choosing at the same moment.
 * @throws HarnessError when no subnet is free
 */
export async function createNetwork(
  engine: Dockerode,
  runId: string,
  labels: Readonly<Record<string, string>>,
): Promise<RunNetwork> {
  const name = `lockstorm-${runId}`;
  const taken = new Set(subnetsOf(await engine.listNetworks()));
  for (let third = 0; third < 256; third += 1) {
    const prefix = `10.213.${third}`;
    const subnet = `${prefix}.0/24`;
    if (taken.has(subnet)) continue;
    try {
      const IPAM = { Driver: "default", Config: [{ Subnet: subnet }] };
      await engine.createNetwork({ Name: name, Labels: { ...labels }, IPAM });
      return { name, address: (host) => `${prefix}.${host}` };
    } catch (error) {
      if (!/overlap/i.test(messageOf(error))) throw error;
    }
  }
  throw new HarnessError("every subnet of 10.213.0.0/16 is taken: remove unused networks (docker network prune)");
}

function subnetsOf(networks: readonly Dockerode.NetworkInspectInfo[]): readonly string[] {
  return networks.flatMap(({ IPAM }) => IPAM?.Config ?? []).map(({ Subnet }) => Subnet ?? "");
}
