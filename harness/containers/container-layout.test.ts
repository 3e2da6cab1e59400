import { expect, test } from "vitest";
import { topologySchema } from "../core/topology.ts";
import { imagesOf, isRenewable, layOut } from "./container-layout.ts";
import { POSTGRES_IMAGE } from "./setup/images.ts";
import { sentinelId } from "./servers/redis-configuration.ts";

const address = (host: number): string => `10.213.7.${host}`;
const layout = (topology: Parameters<typeof topologySchema.parse>[0]) =>
  layOut(topologySchema.parse(topology), address);
const lines = (configuration: string): readonly string[] => configuration.trim().split("\n");

test.each([
  ["single", ["node-0", "resource"]],
  ["redlock", ["node-0", "node-1", "node-2", "node-3", "node-4", "resource"]],
  ["postgres", ["node-0", "resource"]],
  ["sentinel", ["node-0", "node-1", "node-2", "sentinel-0", "sentinel-1", "sentinel-2", "resource"]],
] as const)("%s has its nodes, each with an address of its own", (kind, names) => {
  const nodes = layout({ kind });
  expect(nodes.map(({ name }) => name)).toEqual(names);
  expect(new Set(nodes.map((node) => node.address)).size).toBe(names.length);
});

test("replicas follow the master; independent masters follow nobody", () => {
  const following = (kind: string): readonly string[] =>
    layout({ kind }).flatMap(({ name, configuration }) => (configuration.includes("replicaof") ? [name] : []));
  expect(following("sentinel")).toEqual(["node-1", "node-2"]);
  expect(following("redlock")).toEqual([]);
  expect(layout({ kind: "sentinel" })[1]?.configuration).toContain("replicaof 10.213.7.10 6379\n");
});

test("a Sentinel knows the master, the replicas and the other Sentinels from the start", () => {
  const sentinel = layout({ kind: "sentinel" }).find(({ name }) => name === "sentinel-1");
  const known = lines(sentinel?.configuration ?? "");
  expect(known).toContain("sentinel monitor lockstorm 10.213.7.10 6379 2");
  expect(known).toContain(`sentinel myid ${sentinelId("sentinel-1")}`);
  expect(known.filter((line) => line.includes("known-replica"))).toEqual([
    "sentinel known-replica lockstorm 10.213.7.11 6379",
    "sentinel known-replica lockstorm 10.213.7.12 6379",
  ]);
  expect(known.filter((line) => line.includes("known-sentinel"))).toEqual([
    `sentinel known-sentinel lockstorm 10.213.7.20 26379 ${sentinelId("sentinel-0")}`,
    `sentinel known-sentinel lockstorm 10.213.7.22 26379 ${sentinelId("sentinel-2")}`,
  ]);
});

test("data nodes keep on disk what the topology says; the resource always keeps all", () => {
  const kept = (persistence: string): readonly string[] =>
    layout({ kind: "single", persistence }).map(({ configuration }) =>
      lines(configuration)
        .filter((line) => line.startsWith("append"))
        .join(", "),
    );
  const resource = "appendonly yes, appendfsync always";
  expect(kept("none")).toEqual(["appendonly no", resource]);
  expect(kept("everysec")).toEqual(["appendonly yes, appendfsync everysec", resource]);
  expect(kept("always")).toEqual(["appendonly yes, appendfsync always", resource]);
});

test("further directives are for data nodes, and win", () => {
  const [node, resource] = layout({ kind: "single", config: { "min-replicas-to-write": "1", appendonly: "yes" } });
  expect(lines(node?.configuration ?? "")).toEqual(
    expect.arrayContaining(["min-replicas-to-write 1", "appendonly yes"]),
  );
  expect(node?.configuration).not.toContain("appendonly no");
  expect(resource?.configuration).not.toContain("min-replicas");
});

test("PostgreSQL syncs as the topology says, takes further settings, and stands beside a resource in Redis", () => {
  const settings = (persistence: string): readonly string[] =>
    lines(layout({ kind: "postgres", persistence })[0]?.configuration ?? "").filter((line) =>
      /fsync|commit/.test(line),
    );
  expect(settings("none")).toEqual(["fsync = 'off'", "synchronous_commit = 'on'"]);
  expect(settings("everysec")).toEqual(["fsync = 'on'", "synchronous_commit = 'off'"]);
  expect(settings("always")).toEqual(["fsync = 'on'", "synchronous_commit = 'on'"]);
  const [node, resource] = layout({ kind: "postgres", config: { work_mem: "1MB", log_line_prefix: "it's" } });
  expect(lines(node?.configuration ?? "")).toEqual(
    expect.arrayContaining(["work_mem = '1MB'", "log_line_prefix = 'it''s'"]),
  );
  expect(resource?.configuration).toContain("appendfsync always");
});

test("only a server that syncs before each reply loses no more with its power than when it is killed", () => {
  const late = (kind: string, persistence: string): unknown => layout({ kind, persistence })[0]?.syncsLate;
  const modes = ["none", "everysec", "always"];
  expect(modes.map((mode) => late("postgres", mode))).toEqual([true, true, false]);
  // Redis without persistence has no data that could be lost in part.
  expect(modes.map((mode) => late("single", mode))).toEqual([false, true, false]);
});

test("each server has its image, and the resource that of Redis", () => {
  const images = (kind: string): readonly string[] => imagesOf(topologySchema.parse({ kind }), "redis");
  expect(images("sentinel")).toEqual(["redis"]);
  expect(images("postgres")).toEqual([POSTGRES_IMAGE, "redis"]);
});

test("servers are kept from run to run unless they remember", () => {
  const kept = ["single", "redlock", "postgres", "sentinel"].filter((kind) =>
    isRenewable(topologySchema.parse({ kind })),
  );
  expect(kept).toEqual(["single", "redlock", "postgres", "sentinel"]);
  expect(isRenewable(topologySchema.parse({ kind: "zookeeper" }))).toBe(false);
});
