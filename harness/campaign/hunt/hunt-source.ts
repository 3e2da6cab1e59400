import { BEYOND_LEASE, type ContentionOptions, maxHoldShareFor } from "../../../workloads/contention.ts";
import type { Fault } from "../../core/fault.ts";
import type { TopologySpec } from "../../core/topology.ts";
import type { Property } from "../../core/verdict.ts";

/** What a hunt is for. */
interface Hunted {
  readonly lock: string;
  readonly topology: TopologySpec;
  readonly faults: readonly Fault[];
  /** The properties that decide, if they were asked for. */
  readonly required?: readonly Property[] | undefined;
}

/** The source of the plans of a hunt. */
export function huntSource({ required, ...hunted }: Hunted): ContentionOptions {
  // By default only what the lock claims decides: to outlive a lease is then part of the test.
  const maxHoldShare = required === undefined ? BEYOND_LEASE : maxHoldShareFor(required);
  return { ...hunted, retries: true, maxHoldShare };
}
