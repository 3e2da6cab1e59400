import { expect, test } from "vitest";
import { UserError } from "./errors.ts";
import { topologies, topologyOf } from "./topologies/registry.ts";
import { dataNodes, isSimulated, requireSimulated, sentinelNodes, TOPOLOGIES } from "./topology.ts";

test("topologies of Redis are simulated, those of other servers in containers only", () => {
  const inContainersOnly = TOPOLOGIES.filter((kind) => !isSimulated(kind));
  expect(inContainersOnly).toEqual(["postgres", "zookeeper"]);
  for (const { kind, server } of topologies) expect(server).toBe(isSimulated(kind) ? "redis" : kind);
});

test("a topology without servers in the simulation is refused there, with where it can be had", () => {
  expect(() => requireSimulated("redlock")).not.toThrow();
  expect(() => requireSimulated("postgres")).toThrow(UserError);
  expect(() => requireSimulated("postgres")).toThrow(
    expect.objectContaining({
      message: "the simulation has no servers for the topology postgres",
      hint: "run it with --backend containers",
    }),
  );
});

test.each(TOPOLOGIES)("%s has a first node, and Sentinels only where they are meant", (kind) => {
  expect(dataNodes(kind)[0]).toBe("node-0");
  expect(sentinelNodes(kind).length).toBe(kind === "sentinel" ? 3 : 0);
});

test.each(TOPOLOGIES)("%s tells a client of every server that it must know", (kind) => {
  const address = (host: string) => ({ host, port: 1 });
  const servers = topologyOf(kind).serversAt({
    data: dataNodes(kind).map(address),
    sentinels: sentinelNodes(kind).map(address),
    announced: { "10.0.0.1:6379": address("proxy") },
  });
  const known = JSON.stringify(servers);
  const asked = sentinelNodes(kind).length > 0 ? sentinelNodes(kind) : dataNodes(kind);
  for (const name of asked) expect(known).toContain(`"${name}"`);
  expect(servers.kind).toBe(kind);
});

test.each(TOPOLOGIES)("plans for %s last longer than their leases, and faults less long than they", (kind) => {
  const { ttlsMs, limitMs, longestFaultMs, tries } = topologyOf(kind).workload;
  expect(Math.max(...ttlsMs) * 2).toBeLessThan(limitMs);
  expect(longestFaultMs).toBeLessThan(limitMs);
  expect(longestFaultMs).toBeGreaterThanOrEqual(Math.max(...ttlsMs));
  expect(tries).toBeGreaterThan(0);
});
