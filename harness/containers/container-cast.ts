import { join } from "node:path";
import type { Plan } from "../core/plan.ts";
import { clientName, MASTER_NAME, RESOURCE, type TopologySpec } from "../core/topology.ts";
import type { Address, Servers } from "../../lock-impl/driver.ts";
import { HarnessError } from "../core/errors.ts";
import { clientClockLibrary } from "./client-clock.ts";
import { ClientProcess } from "./client-process.ts";
import type { NodeLayout } from "./container-layout.ts";
import { ControlDirectory } from "./control.ts";
import { type Link, linkName } from "./links.ts";
import type { RunClock } from "./run-clock.ts";
import type { RunHome } from "./run-home.ts";
import { announced } from "./sentinels.ts";
import { settleAll } from "./settle-all.ts";

/** Starts the client processes of a plan, which takes them longest; they connect when there is something to connect to. */
export async function startClients(
  plan: Plan,
  home: RunHome,
  options: { readonly clock: RunClock; readonly logFolder: string; readonly stack: AsyncDisposableStack },
): Promise<readonly ClientProcess[]> {
  const { clock, logFolder, stack } = options;
  const { library } = await clientClockLibrary();
  return settleAll(
    plan.clients.map(async (_, index) => {
      const name = clientName(index);
      const control = await ControlDirectory.create(join(home.folder, name));
      const logFile = join(logFolder, `${name}.log`);
      const client = stack.use(ClientProcess.start({ name, clock, control, clockLibrary: library, logFile }));
      if (client.pid !== undefined) home.adopt(client.pid);
      return client;
    }),
  );
}

/** Has every client connect, each over its own links. @throws UserError when the lock under test cannot */
export async function connectClients(
  plan: Plan,
  clients: readonly ClientProcess[],
  layout: readonly NodeLayout[],
  links: ReadonlyMap<string, Link>,
): Promise<void> {
  await settleAll(
    clients.map((client) => {
      const address = (server: string): Address => linkAddress(links, client.name, server);
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
  switch (topology.kind) {
    case "single":
    case "postgres":
    case "zookeeper":
      return { kind: topology.kind, address: address("node-0") };
    case "redlock":
      return { kind: "redlock", nodes: data.map(through) };
    case "sentinel":
      return {
        kind: "sentinel",
        masterName: MASTER_NAME,
        sentinels: sentinels.map(through),
        natMap: Object.fromEntries(
          [...data, ...sentinels].map((node) => [announced(node.address, node.kind.port), through(node)]),
        ),
      };
  }
}

function linkAddress(links: ReadonlyMap<string, Link>, client: string, server: string): Address {
  const link = links.get(linkName(client, server));
  if (link === undefined) throw new HarnessError(`Toxiproxy made no link from ${client} to ${server}`);
  return link.address;
}
