import { z } from "zod";
import { durationMs } from "./plan-bounds.ts";

/**
 * Events in the protocol that a schedule can wait for. Each is the kind of a history event: `acquire:ok` is a grant,
 * `write:invoke` is the instant before a write is sent. `fault:start` and `fault:heal` refer to the plan's own faults;
 * `promotion` is a replica seen to become master.
 */
export const ANCHORS = [
  "acquire:invoke",
  "acquire:ok",
  "acquire:fail",
  "acquire:info",
  "extend:invoke",
  "extend:ok",
  "extend:fail",
  "read:ok",
  "write:invoke",
  "write:ok",
  "write:fail",
  "release:invoke",
  "release:ok",
  "release:fail",
  "lost",
  "fault:start",
  "fault:heal",
  "promotion",
] as const;
export type Anchor = (typeof ANCHORS)[number];

const atTime = z.strictObject({
  /** Milliseconds since the start of the run, on the true clock. */
  atMs: durationMs,
});

const onEvent = z.strictObject({
  on: z.enum(ANCHORS),
  /** The k-th such event counts; 1 when absent. */
  count: z.int().positive().optional(),
  /** Only events of this client, counted from 0. */
  client: z.int().nonnegative().optional(),
  /** Only events of this fault of the plan, counted from 0; for `fault:start` and `fault:heal`. */
  fault: z.int().nonnegative().optional(),
  /** How long after the event, in milliseconds. Absent or 0: at the event, before its client takes its next step. */
  afterMs: durationMs.optional(),
});

/** When something in a plan happens: at a time, or at (or some time after) the k-th event of a kind. */
export const triggerSchema = z.union([atTime, onEvent]);
export type Trigger = z.infer<typeof triggerSchema>;
export type EventTrigger = z.infer<typeof onEvent>;

/** True for a trigger that waits for an event rather than for a time. */
export function isEventTrigger(trigger: Trigger): trigger is EventTrigger {
  return "on" in trigger;
}
