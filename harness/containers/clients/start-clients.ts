import { join } from "node:path";
import type { Plan } from "../../core/plan.ts";
import { clientName, RESOURCE, type TopologySpec } from "../../core/topology.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import type { Address, Servers } from "../../core/lock-driver.ts";
import { HarnessError } from "../../core/errors.ts";
import { clientClockLibrary } from "./client-clock.ts";
import { ClientProcess } from "./client-process.ts";
import type { NodeLayout } from "../container-layout.ts";
import { ControlDirectory } from "../nodes/control.ts";
import { type Link, linkName } from "../links/links.ts";
import type { RunClock } from "../run-clock.ts";
import type { RunScope } from "../cleanup/run-scope.ts";
import { announced } from "../servers/sentinels.ts";
import { settleAll } from "../engine/settle-all.ts";

/**
 * Starts the client processes of a plan. They connect later, when the servers are up: starting a process takes longer.
 */
export async function startClients(
  plan: Plan,
  scope: RunScope,
  options: { readonly clock: RunClock; readonly logFolder: string; readonly stack: AsyncDisposableStack },
): Promise<readonly ClientProcess[]> {
  const { clock, logFolder, stack } = options;
  const { library } = await clientClockLibrary();
  return settleAll(
    plan.clients.map(async (_, index) => {
      const name = clientName(index);
      const control = await ControlDirectory.create(join(scope.folder, name));
      const logFile = join(logFolder, `${name}.log`);
      const { runId } = scope;
      const client = stack.use(ClientProcess.start({ name, runId, clock, control, clockLibrary: library, logFile }));
      if (client.pid !== undefined) scope.adopt(client.pid);
      return client;
    }),
  );
}

/** Where a client reaches a server, both by name. */
export type AddressOf = (client: string, server: string) => Address;

/** Connects every client to its own addresses. @throws UserError when the lock under test cannot connect */
export async function connectClients(
  plan: Plan,
  clients: readonly ClientProcess[],
  layout: readonly NodeLayout[],
  addressOf: AddressOf,
): Promise<void> {
  await settleAll(
    clients.map((client) => {
      const address = (server: string): Address => addressOf(client.name, server);
      return client.connect({
        lock: plan.lock,
        servers: serversFor(plan.topology, layout, address),
        resource: address(RESOURCE),
        checks: plan.resource,
      });
    }),
  );
}

/** The lock's servers as one client reaches them. */
function serversFor(
  topology: TopologySpec,
  layout: readonly NodeLayout[],
  address: (server: string) => Address,
): Servers {
  const through = ({ name }: NodeLayout): Address => address(name);
  const data = layout.filter(({ role }) => role === "data");
  const sentinels = layout.filter(({ role }) => role === "sentinel");
  return topologyOf(topology.kind).serversAt({
    data: data.map(through),
    sentinels: sentinels.map(through),
    announced: Object.fromEntries(
      [...data, ...sentinels].map((node) => [announced(node.address, node.kind.port), through(node)]),
    ),
  });
}

/** The near end of a link. */
export function linkAddress(links: ReadonlyMap<string, Link>, client: string, server: string): Address {
  const link = links.get(linkName(client, server));
  if (link === undefined) throw new HarnessError(`Toxiproxy made no link from ${client} to ${server}`);
  return link.address;
}
