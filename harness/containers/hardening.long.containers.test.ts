// @module-tag long
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Plan, PlanInput } from "../core/plan.ts";
import { startContainerSystem } from "./container-system.ts";
import { connectEngine } from "./engine/engine.ts";
import { describeWithEngine } from "./testing/engine-required.ts";
import { RUN_LABEL } from "./cleanup/labels.ts";
import { RunScope } from "./cleanup/run-scope.ts";
import { idlePlan } from "./testing/servers.ts";

let logFolder: string;
beforeEach(() => {
  logFolder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(logFolder, { recursive: true });
});

const PARTITION = { kind: "partition", params: { between: [["masters"], ["replicas"]] }, at: { atMs: 1 } };

function planOf(kind: PlanInput["topology"]["kind"], lock: string, faults: Plan["faults"] = []): Plan {
  return { ...idlePlan({ kind }, lock), faults };
}

/**
 * The containers of a plan while it could run, as the engine and the kernel report them; and whether volumes are left
 * afterwards.
 */
async function look(plan: Plan) {
  const opened = vi.spyOn(RunScope, "open");
  const engine = await connectEngine();
  await using system = await startContainerSystem(plan, { logFolder });
  const runId = (await opened.mock.results[0]?.value)?.runId ?? "";
  const all = await engine.listContainers({ filters: { label: [`${RUN_LABEL}=${runId}`] } });
  const containers = await Promise.all(
    all.map(async ({ Id, Image }) => {
      const { HostConfig, State, Mounts } = await engine.getContainer(Id).inspect();
      const status = readFileSync(`/proc/${State.Pid}/status`, "utf8");
      const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1] ?? "";
      const volumes = Mounts.filter(({ Type }) => Type === "volume").map(({ Name = "" }) => Name);
      return { Image, HostConfig, volumes, field };
    }),
  );
  await system[Symbol.asyncDispose]();
  const { Volumes } = await engine.listVolumes();
  const kept = Volumes.map(({ Name }) => Name);
  const left = containers.flatMap(({ volumes }) => volumes).filter((name) => kept.includes(name));
  return { containers, left };
}

describeWithEngine("the containers of a run", () => {
  test.each([
    ["single", "single"],
    ["sentinel", "single"],
    ["postgres", "sql-version"],
    ["zookeeper", "zookeeper"],
  ] as const)("of topology %s keep no right that they do not need", async (kind, lock) => {
    const { containers, left } = await look(planOf(kind, lock));
    expect(containers.length).toBeGreaterThan(2);
    for (const { HostConfig, Image, field } of containers) {
      expect(HostConfig).toMatchObject({
        CapDrop: ["ALL"],
        Privileged: false,
        ReadonlyRootfs: true,
        SecurityOpt: ["no-new-privileges"],
        PidsLimit: 512,
      });
      expect(HostConfig.Memory).toBeGreaterThan(0);
      expect(HostConfig.MemorySwap).toBe(HostConfig.Memory);
      expect(HostConfig.CapAdd ?? []).not.toContain("NET_ADMIN");
      if (Image.includes("toxiproxy")) expect(HostConfig.CapAdd ?? []).toEqual([]);
      // The server itself, regardless of its entrypoint needed.
      expect([field("CapEff"), field("NoNewPrivs")]).toEqual(["0000000000000000", "1"]);
      expect(Number(field("Uid"))).toBeGreaterThan(0);
    }
    expect(containers.flatMap(({ volumes }) => volumes)).toHaveLength(containers.length - 1);
    expect(left).toEqual([]);
  });

  test.each([
    ["sentinel", true],
    ["single", false],
  ] as const)("have NET_ADMIN where the plan parts nodes, and only there: %s", async (kind, needed) => {
    const { containers } = await look(planOf(kind, "single", [PARTITION]));
    const nodes = containers.filter(({ Image }) => !Image.includes("toxiproxy"));
    for (const { HostConfig } of nodes) expect((HostConfig.CapAdd ?? []).includes("NET_ADMIN")).toBe(needed);
  });
});
