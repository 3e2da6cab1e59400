import { at } from "../arguments.ts";
import { ALL_KEYS, command, container, NO_KEYS, ONE_KEY, type Caller, type Command } from "../command.ts";
import { globMatches } from "../glob.ts";
import { insert, remove, type Subscriber } from "../pubsub.ts";
import { ErrorReply, PushReply, SeveralReplies, type Reply } from "../protocol/reply.ts";

const FLAGS = "pubsub noscript loading stale";
const INSPECT = "pubsub loading stale";

/** A kind of subscription: its name in messages, and where the server and the connection keep it. */
interface Kind {
  readonly subscribe: string;
  readonly unsubscribe: string;
  readonly all: (caller: Caller) => Map<string, Set<Subscriber>>;
  readonly own: (caller: Caller) => Set<string>;
  readonly count: (caller: Caller) => number;
}

const CHANNEL: Kind = {
  subscribe: "subscribe",
  unsubscribe: "unsubscribe",
  all: (caller) => caller.server.pubsub.channels,
  own: (caller) => caller.session.channels,
  count: (caller) => caller.session.subscriptions,
};
const PATTERN: Kind = {
  subscribe: "psubscribe",
  unsubscribe: "punsubscribe",
  all: (caller) => caller.server.pubsub.patterns,
  own: (caller) => caller.session.patterns,
  count: (caller) => caller.session.subscriptions,
};
const SHARD: Kind = {
  subscribe: "ssubscribe",
  unsubscribe: "sunsubscribe",
  all: (caller) => caller.server.pubsub.shardChannels,
  own: (caller) => caller.session.shardChannels,
  count: (caller) => caller.session.shardChannels.size,
};

/** Publish and subscribe. */
export const pubsubCommands: readonly Command[] = [
  command("subscribe", -2, FLAGS, NO_KEYS, (argv, caller) => subscribe(argv, caller, CHANNEL)),
  command("psubscribe", -2, FLAGS, NO_KEYS, (argv, caller) => subscribe(argv, caller, PATTERN)),
  command("ssubscribe", -2, FLAGS, ALL_KEYS, (argv, caller) => subscribe(argv, caller, SHARD)),
  command("unsubscribe", -1, FLAGS, NO_KEYS, (argv, caller) => unsubscribe(argv, caller, CHANNEL)),
  command("punsubscribe", -1, FLAGS, NO_KEYS, (argv, caller) => unsubscribe(argv, caller, PATTERN)),
  command("sunsubscribe", -1, FLAGS, ALL_KEYS, (argv, caller) => unsubscribe(argv, caller, SHARD)),
  command("publish", 3, "pubsub loading stale fast may_replicate", NO_KEYS, (argv, { server }) => {
    const receivers = server.pubsub.publish(at(argv, 1), at(argv, 2));
    server.forced = "replicas";
    return receivers;
  }),
  command("spublish", 3, "pubsub loading stale fast may_replicate", ONE_KEY, (argv, { server }) => {
    const receivers = server.pubsub.publishToShard(at(argv, 1), at(argv, 2));
    server.forced = "replicas";
    return receivers;
  }),
  container("pubsub", "", [
    command("channels", -2, INSPECT, NO_KEYS, (argv, { server }) => listed(argv, server.pubsub.channels)),
    command("shardchannels", -2, INSPECT, NO_KEYS, (argv, { server }) => listed(argv, server.pubsub.shardChannels)),
    command("numpat", 2, INSPECT, NO_KEYS, (_argv, { server }) => server.pubsub.patterns.size),
    command("numsub", -2, INSPECT, NO_KEYS, (argv, { server }) => counted(argv, server.pubsub.channels)),
    command("shardnumsub", -2, INSPECT, NO_KEYS, (argv, { server }) => counted(argv, server.pubsub.shardChannels)),
  ]),
];

function subscribe(argv: readonly string[], caller: Caller, kind: Kind): Reply {
  const { session } = caller;
  // Inside EXEC channels and patterns are allowed, for compatibility with old programs, and shard channels are not.
  if (session.denyBlocking && kind === SHARD) {
    return new ErrorReply("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
  }
  return new SeveralReplies(
    argv.slice(1).map((name) => {
      kind.own(caller).add(name);
      insert(kind.all(caller), name, session);
      return new PushReply([kind.subscribe, name, kind.count(caller)]);
    }),
  );
}

function unsubscribe(argv: readonly string[], caller: Caller, kind: Kind): Reply {
  const own = kind.own(caller);
  const names = argv.length > 1 ? argv.slice(1) : [...own];
  if (names.length === 0) return new PushReply([kind.unsubscribe, null, kind.count(caller)]);
  return new SeveralReplies(
    names.map((name) => {
      if (own.delete(name)) remove(kind.all(caller), name, caller.session);
      return new PushReply([kind.unsubscribe, name, kind.count(caller)]);
    }),
  );
}

function listed(argv: readonly string[], subscribers: Map<string, Set<Subscriber>>): Reply {
  if (argv.length > 3) return wrongSubcommand(argv);
  const pattern = argv[2];
  return [...subscribers.keys()].filter((name) => pattern === undefined || globMatches(pattern, name));
}

function counted(argv: readonly string[], subscribers: Map<string, Set<Subscriber>>): Reply {
  return argv.slice(2).flatMap((name) => [name, subscribers.get(name)?.size ?? 0]);
}

/** The error for a subcommand with arguments it does not take. */
export function wrongSubcommand(argv: readonly string[]): ErrorReply {
  const [name = "", sub = ""] = argv;
  return new ErrorReply(
    `ERR unknown subcommand or wrong number of arguments for '${sub.slice(0, 128)}'. Try ${name.toUpperCase()} HELP.`,
  );
}
