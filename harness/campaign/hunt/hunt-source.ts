import { BEYOND_LEASE, type ContentionOptions, maxHoldShareFor } from "../../../workloads/contention.ts";
import type { Capabilities } from "../../external/capabilities.ts";
import type { Fault } from "../../core/fault.ts";
import type { Supports } from "../../core/sharing.ts";
import type { TopologySpec } from "../../core/topology.ts";
import type { Property } from "../../core/verdict.ts";

/** What a hunt is for. */
interface Hunted {
  readonly lock: string;
  readonly topology: TopologySpec;
  /** What the lock says that it can do; absent for drivers, which are asked for everything. */
  readonly capabilities?: Capabilities | undefined;
  readonly faults: readonly Fault[];
  /** What its driver supports. */
  readonly supports?: Supports | undefined;
  /** The properties that decide, if they were asked for. */
  readonly required?: readonly Property[] | undefined;
}

/** The source of the plans of a hunt. */
export function huntSource({ required, capabilities, ...hunted }: Hunted): ContentionOptions {
  // By default only what the lock claims decides: to outlive a lease is then part of the test.
  const maxHoldShare = required === undefined ? BEYOND_LEASE : maxHoldShareFor(required);
  if (capabilities === undefined) return { ...hunted, retries: true, maxHoldShare };
  const { extend, ttlGranularityMs, waits, reentrant } = capabilities;
  const leases = { extend, ttlGranularityMs, waits };
  // Nobody learns what such a lock does before, so that no small workloads with a queue come first.
  return { ...hunted, retries: true, maxHoldShare, reenters: reentrant, leases, makesQueues: true };
}
