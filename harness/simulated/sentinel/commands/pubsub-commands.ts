import { insert, remove, type Subscriber } from "../../redis/pubsub.ts";
import { ErrorReply, PushReply, SeveralReplies, type Reply } from "../../redis/protocol/reply.ts";
import type { ClientSession } from "../client-session.ts";
import { HELLO_CHANNEL, processHello } from "../monitoring/hello.ts";
import { word, type SentinelCommand } from "./sentinel-command.ts";

/** Channels or patterns: their subscribers, and the subscriptions of one connection. */
interface Kind {
  readonly prefix: "" | "p";
  readonly all: (session: ClientSession) => Map<string, Set<Subscriber>>;
  readonly own: (session: ClientSession) => Set<string>;
}

const CHANNELS: Kind = { prefix: "", all: ({ pubsub }) => pubsub.channels, own: ({ channels }) => channels };
const PATTERNS: Kind = { prefix: "p", all: ({ pubsub }) => pubsub.patterns, own: ({ patterns }) => patterns };

/** Subscriptions to a Sentinel's events; PUBLISH accepts only hellos of other Sentinels. */
export const pubsubCommands: readonly SentinelCommand[] = [
  ...[CHANNELS, PATTERNS].flatMap((kind): SentinelCommand[] => [
    {
      name: `${kind.prefix}subscribe`,
      arity: -2,
      forSubscribers: true,
      run: (argv, { session }) => subscribe(argv.slice(1), session, kind),
    },
    {
      name: `${kind.prefix}unsubscribe`,
      arity: -1,
      forSubscribers: true,
      run: (argv, { session }) => unsubscribe(argv.slice(1), session, kind),
    },
  ]),
  {
    name: "publish",
    arity: 3,
    run: (argv, { sentinel }) => {
      if (word(argv, 1) !== HELLO_CHANNEL) {
        return new ErrorReply("ERR Only HELLO messages are accepted by Sentinel instances.");
      }
      processHello(sentinel, word(argv, 2));
      return 1;
    },
  },
];

function subscribe(names: readonly string[], session: ClientSession, kind: Kind): Reply {
  return new SeveralReplies(
    names.map((name) => {
      kind.own(session).add(name);
      insert(kind.all(session), name, session);
      return new PushReply([`${kind.prefix}subscribe`, name, session.subscriptions]);
    }),
  );
}

function unsubscribe(asked: readonly string[], session: ClientSession, kind: Kind): Reply {
  const own = kind.own(session);
  const names = asked.length > 0 ? asked : [...own];
  if (names.length === 0) return new PushReply([`${kind.prefix}unsubscribe`, null, session.subscriptions]);
  return new SeveralReplies(
    names.map((name) => {
      if (own.delete(name)) remove(kind.all(session), name, session);
      return new PushReply([`${kind.prefix}unsubscribe`, name, session.subscriptions]);
    }),
  );
}
