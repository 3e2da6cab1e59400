import { asyncFailover } from "./catalogue/async-failover.ts";
import { crashNoPersist } from "./catalogue/crash-no-persist.ts";
import { nodeClockJump } from "./catalogue/node-clock-jump.ts";
import { pausePastLease } from "./catalogue/pause-past-lease.ts";
import { plainDel } from "./catalogue/plain-del.ts";
import type { Scenario } from "./scenario.ts";

/** The catalogue of counterexamples, in the order in which it is listed. */
export const catalogue: readonly Scenario[] = [plainDel, pausePastLease, crashNoPersist, asyncFailover, nodeClockJump];
