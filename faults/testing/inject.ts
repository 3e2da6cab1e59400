import type { FaultParams, InjectedFault } from "../../harness/core/fault.ts";
import type { FakeSystem } from "../../harness/run/testing/fake-system.ts";
import { faults } from "../registry.ts";

/** Injects the registered fault of that kind. @throws what reading its parameters throws */
export async function inject(system: FakeSystem, kind: string, params: FaultParams): Promise<InjectedFault> {
  const fault = faults.find((candidate) => candidate.kind === kind);
  if (fault === undefined) throw new Error(`there is no fault ${kind}`);
  return system.clock.settle(fault.read(params)(system));
}

/** Heals what can be healed. */
export function heal(system: FakeSystem, injected: InjectedFault): ReturnType<NonNullable<InjectedFault["heal"]>> {
  if (injected.heal === undefined) throw new Error("this fault cannot be healed");
  return system.clock.settle(injected.heal());
}
