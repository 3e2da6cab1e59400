import { expect, test } from "vitest";
import { UserError } from "./errors.ts";
import { dataNodes, isSimulated, sentinelNodes, serverOf, simulatedTopology, TOPOLOGIES } from "./topology.ts";

test("topologies of Redis are simulated, those of other servers in containers only", () => {
  const inContainersOnly = TOPOLOGIES.filter((kind) => !isSimulated(kind));
  expect(inContainersOnly).toEqual(["postgres", "zookeeper"]);
  for (const kind of TOPOLOGIES) expect(serverOf(kind)).toBe(isSimulated(kind) ? "redis" : kind);
});

test("a topology without servers in the simulation is refused there, with where it can be had", () => {
  expect(simulatedTopology("redlock")).toBe("redlock");
  expect(() => simulatedTopology("postgres")).toThrow(UserError);
  expect(() => simulatedTopology("postgres")).toThrow(
    expect.objectContaining({
      message: "the simulation has no servers for the topology postgres",
      mend: "run it with --backend containers",
    }),
  );
});

test.each(TOPOLOGIES)("%s has a first node, and Sentinels only where they are meant", (kind) => {
  expect(dataNodes(kind)[0]).toBe("node-0");
  expect(sentinelNodes(kind).length).toBe(kind === "sentinel" ? 3 : 0);
});
