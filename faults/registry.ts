import type { Fault } from "../harness/core/fault.ts";
import { clockJump } from "./clock-jump.ts";
import { clockRate } from "./clock-rate.ts";
import { eviction } from "./eviction.ts";
import { failover } from "./failover.ts";
import { forgetFences } from "./forget-fences.ts";
import { killClient } from "./kill-client.ts";
import { killNode } from "./kill-node.ts";
import { latency } from "./latency.ts";
import { partition } from "./partition.ts";
import { pauseClient } from "./pause-client.ts";
import { pauseNode } from "./pause-node.ts";
import { powerLoss } from "./power-loss.ts";
import { reset } from "./reset.ts";
import { restartNode } from "./restart-node.ts";
import { stall } from "./stall.ts";

const registered = [
  pauseClient,
  killClient,
  partition,
  latency,
  stall,
  reset,
  pauseNode,
  killNode,
  restartNode,
  powerLoss,
  failover,
  clockJump,
  clockRate,
  eviction,
  forgetFences,
] as const satisfies readonly Fault[];

/** Every kind of fault that a plan can name. */
export type FaultKind = (typeof registered)[number]["kind"];

type Variants<F> = F extends Fault<string, infer Variant> ? Variant : never;

/** Every name of a fault in claims: its kind, or the variant that its parameters select. */
export type FaultClass = FaultKind | Variants<(typeof registered)[number]>;

/** Every fault, in the order in which tables list them. */
export const faults: readonly Fault<FaultKind, FaultClass>[] = registered;
