import type { Address, Servers } from "../../core/lock-driver.ts";

/** How usual programs connect to a client's servers: what to write, by library. */
export function connectionLines(servers: Servers): readonly (readonly [library: string, line: string])[] {
  if ("address" in servers) {
    return [
      ["redis-cli", `redis-cli -p ${servers.address.port}`],
      ["ioredis", `new Redis(${servers.address.port}, ${JSON.stringify(servers.address.host)})`],
      ["redis-py", `redis.Redis(host=${JSON.stringify(servers.address.host)}, port=${servers.address.port})`],
      ["URL", `redis://${place(servers.address)}`],
    ];
  }
  if ("sentinels" in servers) {
    const { sentinels, masterName } = servers;
    const objects = sentinels.map(({ host, port }) => `{ host: ${JSON.stringify(host)}, port: ${port} }`).join(", ");
    const pairs = sentinels.map(({ host, port }) => `(${JSON.stringify(host)}, ${port})`).join(", ");
    return [
      ["redis-cli", `redis-cli -p ${sentinels[0]?.port} sentinel get-master-addr-by-name ${masterName}`],
      ["ioredis", `new Redis({ sentinels: [${objects}], name: ${JSON.stringify(masterName)} })`],
      ["redis-py", `redis.sentinel.Sentinel([${pairs}]).master_for(${JSON.stringify(masterName)})`],
    ];
  }
  return [
    ["redis-cli", servers.nodes.map(({ port }) => `redis-cli -p ${port}`).join("; ")],
    ["ioredis", `[${servers.nodes.map(({ port }) => port).join(", ")}].map((port) => new Redis(port))`],
    ["redis-py", `[redis.Redis(port=port) for port in (${servers.nodes.map(({ port }) => port).join(", ")})]`],
  ];
}

function place({ host, port }: Address): string {
  return `${host}:${port}`;
}
