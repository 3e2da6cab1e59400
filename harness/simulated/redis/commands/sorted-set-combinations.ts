import { at, changed, countArgument, doubleArgument, fail, numberArgument, ofType, syntaxError } from "../arguments.ts";
import { command, NO_KEYS, ONE_KEY, TWO_KEYS, type Caller, type Command } from "../command.ts";
import { SortedSet, type Scored } from "../keyspace/sorted-set.ts";
import type { Reply } from "../protocol/reply.ts";
import { rangeToStore } from "./sorted-set-ranges.ts";
import { doubleReply } from "./sorted-set-scores.ts";
import { newSortedSet } from "./sorted-sets.ts";

const STORES = "write denyoom movablekeys";
const READS = "readonly movablekeys";

/** Commands that combine several sorted sets or sets, and those that store what they find. */
export const combiningSortedSetCommands: readonly Command[] = [
  command("zunionstore", -4, STORES, ONE_KEY, (argv, caller) => combineInto(argv, caller, union)),
  command("zinterstore", -4, STORES, ONE_KEY, (argv, caller) => combineInto(argv, caller, intersection)),
  command("zdiffstore", -4, STORES, ONE_KEY, (argv, caller) => combineInto(argv, caller, difference)),
  command("zunion", -3, READS, NO_KEYS, (argv, caller) => combined(argv, caller, union)),
  command("zinter", -3, READS, NO_KEYS, (argv, caller) => combined(argv, caller, intersection)),
  command("zdiff", -3, READS, NO_KEYS, (argv, caller) => combined(argv, caller, difference)),
  command("zintercard", -3, READS, NO_KEYS, (argv, caller) => {
    const { sources, limit } = parse(argv, caller, 1, "cardinality");
    const size = intersection(sources, "sum").size;
    return limit === 0 ? size : Math.min(size, limit);
  }),
  command("zrangestore", -5, "write denyoom", TWO_KEYS, (argv, caller) =>
    store(caller, at(argv, 1), rangeToStore(argv, caller), "zrangestore"),
  ),
];

/** One of the sets that are combined. Members of a plain set have the score 1. */
interface Source {
  readonly scores: ReadonlyMap<string, number>;
  weight: number;
}

type Aggregate = "sum" | "min" | "max";
type Combine = (sources: readonly Source[], aggregate: Aggregate) => ReadonlyMap<string, number>;

interface Request {
  readonly sources: readonly Source[];
  readonly aggregate: Aggregate;
  readonly withScores: boolean;
  readonly limit: number;
}

/** @param purpose which options there are */
function parse(
  argv: readonly string[],
  caller: Caller,
  countAt: number,
  purpose: "store" | "reply" | "cardinality",
): Request {
  const name = at(argv, 0).toLowerCase();
  const count = numberArgument(at(argv, countAt));
  if (count < 1) fail(`ERR at least 1 input key is needed for '${name}' command`);
  if (count > argv.length - (countAt + 1)) throw syntaxError;
  const sources = argv.slice(countAt + 1, countAt + 1 + count).map((key) => sourceOf(caller, key));
  const isWeighted = purpose !== "cardinality" && !name.startsWith("zdiff");
  const request = { sources, aggregate: "sum" as Aggregate, withScores: false, limit: 0 };
  for (let index = countAt + 1 + count; index < argv.length; index += 1) {
    const option = at(argv, index).toLowerCase();
    const remaining = argv.length - index;
    if (option === "weights" && isWeighted && remaining > count) {
      for (const source of sources) source.weight = doubleArgument(at(argv, (index += 1)), NO_WEIGHT);
    } else if (option === "aggregate" && isWeighted && remaining > 1) {
      request.aggregate = aggregateArgument(at(argv, (index += 1)));
    } else if (option === "withscores" && purpose === "reply") request.withScores = true;
    else if (option === "limit" && purpose === "cardinality" && remaining > 1) {
      request.limit = countArgument(at(argv, (index += 1)), "ERR LIMIT can't be negative");
    } else throw syntaxError;
  }
  return request;
}

const NO_WEIGHT = "ERR weight value is not a float";

function aggregateArgument(text: string): Aggregate {
  const lower = text.toLowerCase();
  if (lower !== "sum" && lower !== "min" && lower !== "max") throw syntaxError;
  return lower;
}

function sourceOf(caller: Caller, key: string): Source {
  const value = caller.db.read(key);
  if (value?.type === "set") return { scores: new Map([...value.members].map((member) => [member, 1])), weight: 1 };
  const elements = ofType(value, "zset")?.scores.all() ?? [];
  return { scores: new Map(elements.map(({ member, score }) => [member, score])), weight: 1 };
}

/** The server combines the smallest set first, which the rounding of sums shows. */
function bySize(sources: readonly Source[]): readonly Source[] {
  return sources.toSorted((a, b) => a.scores.size - b.scores.size);
}

function union(sources: readonly Source[], aggregate: Aggregate): ReadonlyMap<string, number> {
  const result = new Map<string, number>();
  for (const { scores, weight } of bySize(sources)) {
    for (const [member, score] of scores) {
      const known = result.get(member);
      const own = weight * score;
      if (known === undefined) result.set(member, Number.isNaN(own) ? 0 : own);
      else result.set(member, aggregated(known, Number.isNaN(own) ? 0 : own, aggregate));
    }
  }
  return result;
}

function intersection(sources: readonly Source[], aggregate: Aggregate): ReadonlyMap<string, number> {
  const result = new Map<string, number>();
  const [smallest, ...others] = bySize(sources);
  for (const [member, first] of smallest?.scores ?? []) {
    let score = first * (smallest?.weight ?? 1);
    if (Number.isNaN(score)) score = 0;
    const isInAll = others.every(({ scores, weight }) => {
      const found = scores.get(member);
      if (found === undefined) return false;
      score = aggregated(score, found * weight, aggregate);
      return true;
    });
    if (isInAll) result.set(member, score);
  }
  return result;
}

function difference([first, ...others]: readonly Source[]): ReadonlyMap<string, number> {
  const left = [...(first?.scores ?? [])].filter(([member]) => !others.some(({ scores }) => scores.has(member)));
  return new Map(left);
}

/** The sum of both infinities is 0. */
function aggregated(known: number, added: number, aggregate: Aggregate): number {
  if (aggregate === "min") return added < known ? added : known;
  if (aggregate === "max") return added > known ? added : known;
  const sum = known + added;
  return Number.isNaN(sum) ? 0 : sum;
}

function ordered(result: ReadonlyMap<string, number>): readonly Scored[] {
  const scores = new SortedSet();
  for (const [member, score] of result) scores.set(member, score);
  return scores.all();
}

function combined(argv: readonly string[], caller: Caller, combine: Combine): Reply {
  const { sources, aggregate, withScores } = parse(argv, caller, 1, "reply");
  const found = ordered(combine(sources, aggregate));
  if (!withScores) return found.map(({ member }) => member);
  const pairs = found.map(({ member, score }): Reply[] => [member, doubleReply(caller.server, score)]);
  return caller.resp === 3 ? pairs : pairs.flat();
}

function combineInto(argv: readonly string[], caller: Caller, combine: Combine): Reply {
  const { sources, aggregate } = parse(argv, caller, 2, "store");
  return store(caller, at(argv, 1), ordered(combine(sources, aggregate)), at(argv, 0).toLowerCase());
}

function store(caller: Caller, target: string, elements: readonly Scored[], event: string): Reply {
  if (elements.length === 0) {
    // Deleted without a check of its expiry.
    if (caller.db.delete(target)) {
      changed(caller, target);
      caller.db.notify("g", "del", target);
    }
    return 0;
  }
  caller.db.set(target, newSortedSet(caller, elements));
  caller.db.notify("z", event, target);
  caller.server.dirty += 1;
  return elements.length;
}
