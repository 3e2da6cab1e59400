import { z } from "zod";

const time = z.number().nonnegative();
const name = z.string().max(200);

const messageSchema = z.object({
  client: z.int().nonnegative(),
  server: name,
  command: name,
  script: name.optional(),
  keys: z.array(name),
  count: z.int().positive(),
  connection: name,
  sentNs: time,
  reachedNs: time.optional(),
  appliedNs: time.optional(),
  repliedNs: time.optional(),
  operation: z.int().nonnegative().optional(),
  reply: name.optional(),
});

const keyStateSchema = z.object({
  server: name,
  key: name,
  atNs: time,
  value: name.optional(),
  expiresInNs: z.number().optional(),
  clockAheadNs: z.number(),
});

const replicationStepSchema = z.object({ from: name, to: name, key: name, sentNs: time, appliedNs: time });

const voteSchema = z.object({ sentinel: name, candidate: name, epoch: z.int().nonnegative(), atNs: time });

/** The format of `wire.json`, by name. */
export const WIRE_FORMAT = "lockstorm-wire";

/** The format of `wire.json`: see `WireRecord`. */
export const wireRecordSchema = z.object({
  format: z.literal(WIRE_FORMAT),
  version: z.literal(1),
  messages: z.array(messageSchema),
  keys: z.array(keyStateSchema),
  replication: z.array(replicationStepSchema),
  votes: z.array(voteSchema),
  leftOut: z.int().nonnegative(),
  seenAt: z.literal("proxy").optional(),
  gaps: z.array(name).optional(),
});

/**
 * What went over the wire of a run, and what its servers held. It lies beside the history and never in it: the verdict
 * rests on the history alone. Times are nanoseconds since the start of the run. `messages` are in the order of sending,
 * `reply` is the beginning of what the server answered. `leftOut` counts entries beyond the bound. On real servers a
 * proxy beside the clients saw the messages (`seenAt`): then `sentNs` is when a command came to it, `repliedNs` when the
 * reply left it for the client, and `gaps` says in sentences what was not observed.
 */
export type WireRecord = z.infer<typeof wireRecordSchema>;

/**
 * What a server held under a key from a moment on: the beginning of its value, absent where the key was gone; how long
 * until it expires by the server's own clock; and how far that clock was ahead of true time.
 */
export type KeyState = z.infer<typeof keyStateSchema>;

/** A write as it came from a master to a replica. */
export type ReplicationStep = z.infer<typeof replicationStepSchema>;

/** A Sentinel's vote for who shall lead a failover, possibly itself. */
export type SentinelVote = z.infer<typeof voteSchema>;

/** How many entries of each kind a record keeps. */
const MOST = 5000;
/** How many characters a name has at most, and how many keys a message. */
const LONGEST = 200;
const MOST_KEYS = 20;

/**
 * A record within its bound: of a kind with too many entries, those that end soonest after `focusNs`, where the reader
 * will look.
 */
export function boundedWire(record: Omit<WireRecord, "format" | "version" | "leftOut">, focusNs: number): WireRecord {
  let leftOut = 0;
  const kept = <T>(entries: readonly T[], at: (entry: T) => number): T[] => {
    if (entries.length <= MOST) return [...entries];
    leftOut += entries.length - MOST;
    const after = entries.findIndex((entry) => at(entry) > focusNs);
    const end = Math.min(entries.length, Math.max(MOST, (after < 0 ? entries.length : after) + MOST / 10));
    return entries.slice(end - MOST, end);
  };
  const messages = kept(record.messages, ({ sentNs }) => sentNs).map((message) => ({
    ...message,
    command: message.command.slice(0, LONGEST),
    script: message.script?.slice(0, LONGEST),
    keys: message.keys.slice(0, MOST_KEYS).map((key) => key.slice(0, LONGEST)),
  }));
  const keys = kept(record.keys, ({ atNs }) => atNs);
  const replication = kept(record.replication, ({ appliedNs }) => appliedNs);
  const votes = kept(record.votes, ({ atNs }) => atNs);
  const { seenAt, gaps } = record;
  const observed = seenAt === undefined ? {} : { seenAt, gaps };
  return { format: WIRE_FORMAT, version: 1, messages, keys, replication, votes, leftOut, ...observed };
}
