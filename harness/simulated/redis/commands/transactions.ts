import { command, ALL_KEYS, NO_KEYS, type Caller, type Command } from "../command.ts";
import { call } from "../execute.ts";
import { ErrorReply, NULL_ARRAY, OK, type Reply } from "../protocol/reply.ts";

const FLAGS = "noscript loading stale fast allow_busy";

/** MULTI, EXEC and related commands. */
export const transactionCommands: readonly Command[] = [
  command("multi", 1, FLAGS, NO_KEYS, (_argv, { session }) => {
    if (session.transaction !== undefined) return new ErrorReply("ERR MULTI calls can not be nested");
    session.transaction = { queue: [], failed: false };
    return OK;
  }),
  command("discard", 1, FLAGS, NO_KEYS, (_argv, { session }) => {
    if (session.transaction === undefined) return new ErrorReply("ERR DISCARD without MULTI");
    session.discardTransaction();
    return OK;
  }),
  { ...command("exec", 1, "noscript loading stale skip_slowlog", NO_KEYS, exec), transparent: true },
  command("watch", -2, FLAGS, ALL_KEYS, (argv, { session, db }) => {
    if (session.transaction !== undefined) return new ErrorReply("ERR WATCH inside MULTI is not allowed");
    // A connection with an already changed watched key need not watch more: its EXEC will fail.
    if (!session.transactionFailed) for (const key of argv.slice(1)) session.watched.add(db, key);
    return OK;
  }),
  command("unwatch", 1, FLAGS, NO_KEYS, (_argv, { session }) => {
    session.watched.clear();
    session.transactionFailed = false;
    return OK;
  }),
];

function exec(_argv: readonly string[], { session }: Caller): Reply {
  const { transaction } = session;
  if (transaction === undefined) return new ErrorReply("ERR EXEC without MULTI");
  const isStale = session.transactionFailed || session.watched.anyExpired();
  if (transaction.failed || isStale) {
    session.discardTransaction();
    return transaction.failed
      ? new ErrorReply("EXECABORT Transaction discarded because of previous errors.")
      : NULL_ARRAY;
  }
  session.watched.clear();
  session.denyBlocking = true;
  try {
    return transaction.queue.map(({ command, argv }) => call(command, argv, session));
  } finally {
    session.denyBlocking = false;
    session.discardTransaction();
  }
}
