import { at, fail, numberArgument, syntaxError } from "../../arguments.ts";
import { command, ONE_KEY, type Caller, type Command } from "../../command.ts";
import { cString } from "../../execute.ts";
import { byName } from "../../keyspace/consumer-group.ts";
import { compareIds, formatId } from "../../keyspace/stream-id.ts";
import { NULL_ARRAY, type Reply } from "../../protocol/reply.ts";
import { groupOf, type NamedGroup } from "./group-effects.ts";
import { lowerBound, strictId, upperBound } from "./stream-ids.ts";

/** What was delivered and not acknowledged: XACK and XPENDING. */
export const pendingCommands: readonly Command[] = [
  command("xack", -4, "write fast", ONE_KEY, acknowledge),
  command("xpending", -3, "readonly", ONE_KEY, pending),
];

function acknowledge(argv: readonly string[], caller: Caller): Reply {
  const named = groupOf(caller, at(argv, 1), at(argv, 2));
  if (named === undefined) return 0;
  const ids = argv.slice(3).map(strictId);
  const count = ids.filter((id) => named.group.acknowledge(id)).length;
  caller.server.dirty += count;
  return count;
}

function pending(argv: readonly string[], caller: Caller): Reply {
  const isSummary = argv.length === 3;
  if (!isSummary && (argv.length < 6 || argv.length > 9)) throw syntaxError;
  const range = isSummary ? undefined : parseRange(argv);
  const [key, name] = [at(argv, 1), at(argv, 2)];
  const named = groupOf(caller, key, name);
  if (named === undefined) return fail(`NOGROUP No such key '${cString(key)}' or consumer group '${cString(name)}'`);
  return range === undefined ? summary(named) : entriesIn(range, named, caller);
}

function parseRange(argv: readonly string[]) {
  let index = 3;
  let minIdleMs = 0;
  if (at(argv, 3).toLowerCase() === "idle") {
    minIdleMs = numberArgument(at(argv, 4));
    if (argv.length < 8) throw syntaxError;
    index = 5;
  }
  const count = Math.max(0, numberArgument(at(argv, index + 2)));
  const start = lowerBound(at(argv, index));
  const end = upperBound(at(argv, index + 1));
  return { minIdleMs, count, start, end, consumer: argv[index + 3] };
}

function summary({ group }: NamedGroup): Reply {
  const [first, last] = [group.pending.all()[0], group.pending.all().at(-1)];
  if (first === undefined || last === undefined) return [0, null, null, NULL_ARRAY];
  const consumers = byName(group.consumers).filter(([, consumer]) => consumer.pending.size > 0);
  const counts = consumers.map(([name, consumer]) => [name, String(consumer.pending.size)]);
  return [group.pending.size, formatId(first.id), formatId(last.id), counts];
}

function entriesIn(range: ReturnType<typeof parseRange>, { group }: NamedGroup, caller: Caller): Reply {
  const list = range.consumer === undefined ? group.pending : group.consumers.get(range.consumer)?.pending;
  if (list === undefined) return [];
  const { nowMs } = caller.server;
  const found = list
    .from(range.start)
    .filter(({ id }) => compareIds(id, range.end) <= 0)
    .filter(({ deliveredAtMs }) => range.minIdleMs === 0 || nowMs - deliveredAtMs >= range.minIdleMs);
  return found
    .slice(0, range.count)
    .map(({ id, consumer, deliveredAtMs, deliveries }) => [
      formatId(id),
      consumer.name,
      Math.max(0, nowMs - deliveredAtMs),
      deliveries,
    ]);
}
