import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { ownedKey, type Protocol } from "../../lock-impl/parts/protocol.ts";
import { keysOf, severalKeysAtOnce } from "../../lock-impl/parts/several-keys.ts";
import { smallWorkloads } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });

/** The workloads in whose run a lock of several keys, with leases that are extended, promises a key twice. */
async function broken(protocol: Protocol): Promise<readonly string[]> {
  const supports = { severalKeys: true };
  const driver = { ...composeLock({ protocol }), supports };
  const options = { lock: "./mine.ts", topology, fencing: false, seed: 1, outlives: false, supports };
  const names: string[] = [];
  for (const { name, plan } of smallWorkloads(options, { extends: true, reenters: false })) {
    const { record } = await runSimulated(plan, { title: name, required: ["lease-exclusion"], driver });
    if (record.verdict.properties["lease-exclusion"]?.verdict === "invalid") names.push(name);
  }
  return names;
}

/** A lock that extends all its keys but one. */
function allBut(forgotten: number): Protocol {
  return {
    ...severalKeysAtOnce,
    async extend(server, request) {
      const keys = keysOf(request).filter((_, index) => index !== forgotten);
      const answers = await Promise.all(keys.map((key) => ownedKey.extend(server, { ...request, key })));
      return answers[0] ?? { type: "ok", value: true };
    },
  };
}

test("an extension of several keys extends each of them", async () => {
  expect(await broken(severalKeysAtOnce)).toEqual([]);
  for (const forgotten of [0, 1, 2]) expect(await broken(allBut(forgotten))).toContain("several keys extended");
});
