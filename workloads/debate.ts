import { clockJump } from "./debate/clock-jump.ts";
import { clockRate } from "./debate/clock-rate.ts";
import { delay } from "./debate/delay.ts";
import type { Experiment } from "./debate/experiment.ts";
import { pause } from "./debate/pause.ts";
import { restartDelay } from "./debate/restart-delay.ts";
import { tokens } from "./debate/tokens.ts";
import { topologies } from "./debate/topologies.ts";

/** The debate about Redlock, point by point, in the order of the arguments. */
export const debate: readonly Experiment[] = [tokens, pause, delay, clockJump, clockRate, restartDelay, topologies];
