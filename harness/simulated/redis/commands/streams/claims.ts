import { at, fail, integerArgument, numberArgument, ofType, syntaxError } from "../../arguments.ts";
import { command, ONE_KEY, type Caller, type Command } from "../../command.ts";
import { cString } from "../../execute.ts";
import type { Consumer, PendingEntry } from "../../keyspace/consumer-group.ts";
import type { StreamEntry } from "../../keyspace/stream.ts";
import type { StoredValue } from "../../keyspace/values.ts";
import { compareIds, FIRST_ID, formatId, type StreamId } from "../../keyspace/stream-id.ts";
import { INT64_MAX } from "../../numbers/integers.ts";
import type { Reply } from "../../protocol/reply.ts";
import { groupIn, propagateEntry, propagateProgress, seenConsumer, type NamedGroup } from "./group-effects.ts";
import { entryReply, lowerBound, parseId, strictId } from "./stream-ids.ts";

/** Pending entries that pass to another consumer. */
export const claimCommands: readonly Command[] = [
  command("xclaim", -6, "write fast", ONE_KEY, claim),
  command("xautoclaim", -6, "write fast", ONE_KEY, autoClaim),
];

/** Entries that XAUTOCLAIM looks at for each that it may return. */
const LOOKS_PER_ENTRY = 10;

function existing(value: StoredValue | undefined, argv: readonly string[]): NamedGroup {
  const [key, name] = [at(argv, 1), at(argv, 2)];
  const named = groupIn(ofType(value, "stream")?.stream, key, name);
  return named ?? fail(`NOGROUP No such key '${cString(key)}' or consumer group '${cString(name)}'`);
}

/** How a claim changes the entries that it takes. */
interface ClaimOptions {
  readonly ids: readonly StreamId[];
  readonly minIdleMs: number;
  deliveredAtMs: number | undefined;
  deliveries: bigint | undefined;
  /** Also entries that are pending for nobody. */
  force: boolean;
  onlyIds: boolean;
  lastId: StreamId;
}

function parseClaim(argv: readonly string[], nowMs: number): ClaimOptions {
  const minIdleMs = numberArgument(at(argv, 4), "ERR Invalid min-idle-time argument for XCLAIM");
  const ids: StreamId[] = [];
  let index = 5;
  for (; index < argv.length; index += 1) {
    const id = parseId(at(argv, index), 0n);
    if (id === undefined) break;
    ids.push(id);
  }
  const options: ClaimOptions = {
    ids,
    minIdleMs: Math.max(0, minIdleMs),
    deliveredAtMs: undefined,
    deliveries: undefined,
    force: false,
    onlyIds: false,
    lastId: FIRST_ID,
  };
  for (; index < argv.length; index += 1) {
    const text = at(argv, index);
    const hasMore = index + 1 < argv.length;
    const value = (name: string): bigint =>
      BigInt(integerArgument(at(argv, (index += 1)), `ERR Invalid ${name} option argument for XCLAIM`));
    const option = text.toLowerCase();
    if (option === "force") options.force = true;
    else if (option === "justid") options.onlyIds = true;
    else if (option === "idle" && hasMore) options.deliveredAtMs = Number(BigInt(nowMs) - value("IDLE"));
    else if (option === "time" && hasMore) options.deliveredAtMs = Number(value("TIME"));
    else if (option === "retrycount" && hasMore) options.deliveries = value("RETRYCOUNT");
    else if (option === "lastid" && hasMore) options.lastId = strictId(at(argv, (index += 1)));
    else fail(`ERR Unrecognized XCLAIM option '${cString(text)}'`);
  }
  return options;
}

function claim(argv: readonly string[], caller: Caller): Reply {
  const { server } = caller;
  const named = existing(caller.db.read(at(argv, 1)), argv);
  const { stream, group } = named;
  const options = parseClaim(argv, server.nowMs);
  const isAhead = compareIds(options.lastId, group.lastId) > 0;
  if (isAhead) group.lastId = options.lastId;
  let isPropagated = !isAhead;
  const claiming = new Claiming(caller, named, at(argv, 3), options.onlyIds);
  const reply: Reply[] = [];
  for (const id of options.ids) {
    const pending = group.pending.get(id);
    const entry = stream.get(id);
    if (entry === undefined) {
      if (pending === undefined) continue;
      claiming.forget(pending);
    } else {
      if (pending === undefined && !options.force) continue;
      if (pending !== undefined && claiming.isTooFresh(pending, options.minIdleMs)) continue;
      reply.push(claiming.take(entry, pending, validTime(options.deliveredAtMs, server.nowMs), options.deliveries));
    }
    // The last ID goes with each entry.
    isPropagated = true;
  }
  if (!isPropagated) {
    propagateProgress(caller, named);
    server.dirty += 1;
  }
  server.rewritten = [];
  return reply;
}

/** A time that cannot be is replaced by now. */
function validTime(givenMs: number | undefined, nowMs: number): number {
  return givenMs === undefined || givenMs < 0 || givenMs > nowMs ? nowMs : givenMs;
}

function autoClaim(argv: readonly string[], caller: Caller): Reply {
  // It is looked up, and a miss published, before the arguments are read.
  const value = caller.db.read(at(argv, 1));
  const minIdleMs = Math.max(0, numberArgument(at(argv, 4), "ERR Invalid min-idle-time argument for XAUTOCLAIM"));
  const start = lowerBound(at(argv, 5));
  const { count, onlyIds } = parseAutoClaim(argv);
  const named = existing(value, argv);
  const { stream, group } = named;
  const claiming = new Claiming(caller, named, at(argv, 3), onlyIds);
  const claimed: Reply[] = [];
  const deleted: string[] = [];
  const looks = [...group.pending.from(start)];
  let looked = 0;
  while (looked < count * LOOKS_PER_ENTRY && claimed.length + deleted.length < count) {
    const pending = looks[looked];
    if (pending === undefined) break;
    looked += 1;
    const entry = stream.get(pending.id);
    if (entry === undefined) {
      claiming.forget(pending);
      deleted.push(formatId(pending.id));
    } else if (!claiming.isTooFresh(pending, minIdleMs)) {
      claimed.push(claiming.take(entry, pending, caller.server.nowMs, undefined));
    }
  }
  caller.server.rewritten = [];
  return [formatId(looks[looked]?.id ?? FIRST_ID), claimed, deleted];
}

function parseAutoClaim(argv: readonly string[]): { readonly count: number; readonly onlyIds: boolean } {
  let count = 100;
  let onlyIds = false;
  for (let index = 6; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    if (option === "count" && index + 1 < argv.length) {
      const given = integerArgument(at(argv, (index += 1)), "ERR COUNT must be > 0");
      if (given < 1 || given > INT64_MAX / 16n) fail("ERR COUNT must be > 0");
      count = Number(given);
    } else if (option === "justid") onlyIds = true;
    else throw syntaxError;
  }
  return { count, onlyIds };
}

/** One command's claims for a consumer. Since 7.2 asking is enough to be seen; before, only what was claimed counted. */
class Claiming {
  readonly #caller: Caller;
  readonly #named: NamedGroup;
  readonly #name: string;
  readonly #onlyIds: boolean;
  #consumer: Consumer | undefined;

  constructor(caller: Caller, named: NamedGroup, consumerName: string, onlyIds: boolean) {
    this.#caller = caller;
    this.#named = named;
    this.#name = consumerName;
    this.#onlyIds = onlyIds;
    if (caller.server.isModern) this.#consumer = seenConsumer(caller, named, consumerName);
  }

  isTooFresh({ deliveredAtMs }: PendingEntry, minIdleMs: number): boolean {
    return minIdleMs > 0 && this.#caller.server.nowMs - deliveredAtMs < minIdleMs;
  }

  /** An entry that was deleted from the stream is pending no more. */
  forget(pending: PendingEntry): void {
    propagateEntry(this.#caller, this.#named, pending);
    this.#named.group.acknowledge(pending.id);
    this.#caller.server.dirty += 1;
  }

  /** @param deliveries undefined, or a negative number: one more than before, unless only the ID was asked for */
  take(
    entry: StreamEntry,
    pending: PendingEntry | undefined,
    deliveredAtMs: number,
    deliveries: bigint | undefined,
  ): Reply {
    this.#consumer ??= seenConsumer(this.#caller, this.#named, this.#name);
    const before = pending?.deliveries ?? 1n;
    const counted = this.#onlyIds ? before : BigInt.asIntN(64, before + 1n);
    const next = deliveries === undefined || deliveries < 0n ? counted : deliveries;
    const taken = this.#named.group.assign(entry.id, this.#consumer, deliveredAtMs, next);
    this.#consumer.activeAtMs = this.#caller.server.nowMs;
    propagateEntry(this.#caller, this.#named, taken);
    this.#caller.server.dirty += 1;
    return this.#onlyIds ? formatId(entry.id) : entryReply(entry);
  }
}
