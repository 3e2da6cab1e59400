import type { LockClient } from "../../../core/lock-driver.ts";
import { topologySchema } from "../../../core/topology.ts";
import { conformDriver } from "../conform-driver.ts";
import { driverWith } from "./right-drivers.ts";

/** The mistakes found, by check, of a right driver with a part of its client replaced. */
export async function mistakesOf(
  replace: (right: LockClient) => Partial<LockClient>,
): Promise<Readonly<Record<string, string>>> {
  const topology = topologySchema.parse({ kind: "single" });
  const driver = driverWith((_, right) => replace(right));
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  const mistakes = checks.filter(({ outcome }) => outcome === "mistake");
  return Object.fromEntries(mistakes.map(({ name, details }) => [name, details.join()]));
}
