import { z } from "zod";
import { durationMs, PLAN_BOUNDS } from "./plan-bounds.ts";

/**
 * Events that a schedule can wait for. Each is a kind of history event: `acquire:ok` is a grant, `write:invoke` is the
 * instant before a write is sent. `release:end` is the completion of a release, whatever it says: many locks report no
 * result of a release. `fault:start` and `fault:heal` are events of the plan's own faults; `promotion` means that a
 * replica became master.
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
  "release:end",
  "lost",
  "fault:start",
  "fault:heal",
  "promotion",
] as const;
export type Anchor = (typeof ANCHORS)[number];

/** The kinds of a history event that is the completion of a release. */
const RELEASE_ENDS: ReadonlySet<string> = new Set(["release:ok", "release:fail", "release:info"]);

/**
 * Whether an anchor means events of this kind.
 * @param kind what a history event was and how it ended, `acquire:info`, or `lost`
 */
export function isAnchorOf(anchor: Anchor, kind: string): boolean {
  return anchor === kind || (anchor === "release:end" && RELEASE_ENDS.has(kind));
}

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
  /** The delay after the event, in milliseconds. Absent or 0: at the event, before its client takes its next step. */
  afterMs: durationMs.optional(),
});

/**
 * The moments of a command on its way from a client to a server and back. `send`: the client is about to send it, and
 * nothing has left. `before`: it has reached the server, which has not applied it. `after`: the server has applied it,
 * and nothing of its reply or its replication has left. `reply`: its reply has come to the client's machine, and the
 * client has not read it.
 */
export const MESSAGE_MOMENTS = ["send", "before", "after", "reply"] as const;
export type MessageMoment = (typeof MESSAGE_MOMENTS)[number];

/** The moments that a proxy between clients and real servers can observe. The others exist in simulation only. */
export const PROXY_MOMENTS: readonly MessageMoment[] = ["before", "reply"];

const onMessage = z.strictObject({
  moment: z.enum(MESSAGE_MOMENTS),
  /** The command's name in capitals, `SET`; absent: any. */
  command: z
    .string()
    .regex(/^[A-Z][A-Z0-9._]*$/, "a command's name is written in capitals, SET")
    .max(PLAN_BOUNDS.text)
    .optional(),
  /** One of the keys that the command names, as it is on the wire; absent: any. */
  key: z.string().max(PLAN_BOUNDS.text).optional(),
  /** The client that sends it, counted from 0; absent: any. */
  client: z.int().nonnegative().optional(),
  /** The server that it goes to, `node-0` or `sentinel-1`; absent: any. */
  server: z.string().max(PLAN_BOUNDS.text).optional(),
  /** The k-th such command since the start of the run; 1 when absent. */
  count: z.int().positive().optional(),
  /** How long after the moment, in milliseconds. Absent or 0: at the moment, and the command waits for the action. */
  afterMs: durationMs.optional(),
});

/** When something in a plan happens: at a time, or at (or some time after) the k-th event or message of a kind. */
export const triggerSchema = z.union([atTime, onEvent, onMessage]);
export type Trigger = z.infer<typeof triggerSchema>;
export type EventTrigger = z.infer<typeof onEvent>;
export type MessageTrigger = z.infer<typeof onMessage>;

/** True for a trigger that waits for an event in the protocol. */
export function isEventTrigger(trigger: Trigger): trigger is EventTrigger {
  return "on" in trigger;
}

/** True for a trigger that waits for a command between a client and a server. */
export function isMessageTrigger(trigger: Trigger): trigger is MessageTrigger {
  return "moment" in trigger;
}
