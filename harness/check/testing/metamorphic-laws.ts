import type { Property } from "../../core/verdict.ts";
import type { Random } from "../../core/random.ts";
import type { History } from "../../history/history.ts";
import { parseHistory } from "../../history/history-reader.ts";

/** A line of a history, with whatever fields it has. */
interface Line {
  index: number;
  time: number;
  process: number | string;
  type: string;
  f?: string;
  key?: string;
  value?: Record<string, unknown> & { targets?: string[]; processes?: number[] };
}

/** A history that is being changed. Its lines are numbered anew afterwards. */
interface Draft {
  readonly header: Record<string, unknown> & { clients: number };
  lines: Line[];
}

/**
 * A change of a history after which the verdict has the `same-causes`, or is the `same` although another search may name
 * another cause, or accuses the lock of `no-more` than before.
 */
export interface Law {
  readonly name: string;
  readonly relation: "same-causes" | "same" | "no-more";
  /** The properties of which the law says nothing. */
  readonly except?: readonly Property[];
  /** Whether another program made the recording. Default: false. */
  readonly foreign?: boolean;
  /** False if there is nothing to change. */
  readonly change: (draft: Draft, random: Random) => boolean;
}

/** The history after a change by a law, read as a file would be; undefined if there was nothing to change. */
export function changedBy({ change }: Pick<Law, "change">, history: History, random: Random): History | undefined {
  const draft = structuredClone({ header: history.header, lines: history.events }) as unknown as Draft;
  return change(draft, random) ? parseHistory(textOf(draft), "changed") : undefined;
}

/** Two histories in one, in the order of their times: of other clients, keys and owner values. */
export function mergedWith(history: History, other: History): History {
  const [first, second] = [history, other].map(
    ({ header, events }) => structuredClone({ header, lines: events }) as unknown as Draft,
  ) as [Draft, Draft];
  const [before, after] = [first.header.clients, second.header.clients];
  renumberClients(first, (client) => client, before + after);
  renumberClients(second, (client) => before + client, before + after);
  for (const line of second.lines) {
    if (line.key !== undefined) line.key = `other ${line.key}`;
    if (typeof line.value?.["owner"] === "string") line.value["owner"] = `other ${line.value["owner"]}`;
  }
  first.lines = [...first.lines, ...second.lines].toSorted((one, another) => one.time - another.time);
  return parseHistory(textOf(first), "merged");
}

function textOf({ header, lines }: Draft): string {
  for (const [index, line] of lines.entries()) line.index = index;
  return [header, ...lines].map((line) => JSON.stringify(line)).join("\n");
}

const RECORDED_ONLY: readonly Property[] = ["all-or-nothing", "first-come-first-served"];

/** Laws that hold for every history, whoever recorded it and whatever its lock does. */
export const LAWS: readonly Law[] = [
  {
    name: "owner values may have any names",
    relation: "same-causes",
    change: (draft) => renameAll(draft, "owner", ["__proto__", " ", "constructor", "x".repeat(300), "é", "0", "null"]),
  },
  {
    name: "keys may have any names",
    relation: "same-causes",
    change: ({ lines }, random) => {
      const name = pick(["__proto__", "", "constructor", "x".repeat(300), "\0", "k 0"], random);
      for (const line of lines) if (line.key !== undefined) line.key = name;
      return true;
    },
  },
  {
    name: "clients may have any numbers, and there may be clients that do nothing",
    relation: "same-causes",
    change: (draft, random) => {
      const { clients } = draft.header;
      const by = random.integer(0, clients - 1);
      renumberClients(draft, (client) => (client + by) % clients, clients + random.integer(0, 3));
      return true;
    },
  },
  {
    name: "each operation may have its own process number",
    relation: "same-causes",
    change: ({ header: { clients }, lines }) => {
      if (lines.some(({ type, value }) => type === "queued" || value?.processes !== undefined)) return false;
      const current = new Map<unknown, number>();
      let count = 0;
      for (const line of lines) {
        const { process, type } = line;
        if (typeof process !== "number") continue;
        if (type === "invoke") current.set(process, (process % clients) + (count += 1) * clients);
        line.process = current.get(process) ?? process % clients;
        if (isEnd(line)) current.delete(process);
      }
      return true;
    },
  },
  {
    name: "a recording may begin at any time",
    relation: "same-causes",
    change: ({ lines }, random) => {
      // Before the first try somebody may have held the lock, for as long as nothing is recorded.
      if (lines.some(({ value }) => value?.["reason"] === "contended")) return false;
      const by = random.integer(1, 5_000_000_000);
      for (const line of lines) {
        line.time += by;
        if (typeof line.value?.["grantedAt"] === "number") line.value["grantedAt"] += by;
      }
      return true;
    },
  },
  {
    name: "of fencing tokens only the order counts",
    relation: "same-causes",
    change: ({ lines }) => {
      for (const { value } of lines)
        if (typeof value?.["fence"] === "number") value["fence"] = value["fence"] * 1000 - 7;
      return true;
    },
  },
  {
    name: "a validity counts from the completion, if nothing else is said",
    relation: "same-causes",
    except: RECORDED_ONLY,
    change: ({ lines }) => {
      for (const { time, type, value } of lines) {
        if (type === "ok" && value?.["validForMs"] !== undefined) value["grantedAt"] ??= time;
      }
      return true;
    },
  },
  {
    name: "fields that lockstorm does not know mean nothing, nor does the mode of a lock that all hold alone",
    relation: "same-causes",
    change: ({ header, lines }) => {
      header["note"] = "x";
      for (const line of lines) {
        Object.assign(line, { note: [1], name: "x" });
        if (line.type === "invoke" && line.f === "acquire")
          Object.assign(line.value ?? {}, { mode: "exclusive", note: {} });
      }
      return true;
    },
  },
  {
    name: "a refused try of another client proves nothing",
    relation: "same",
    except: ["deadlock-freedom", ...RECORDED_ONLY],
    change: (draft, random) => {
      const process = draft.header.clients;
      renumberClients(draft, (client) => client, process + 1);
      const base = { index: 0, process, f: "acquire", key: "k" };
      const from = random.integer(0, draft.lines.length);
      insert(draft, from, { ...base, time: timeBefore(draft, from), type: "invoke", value: { ttlMs: 100 } });
      const to = random.integer(from + 1, draft.lines.length);
      const reason = pick(["contended", "error"], random);
      insert(draft, to, { ...base, time: timeBefore(draft, to), type: "fail", value: { reason } });
      return true;
    },
  },
  {
    name: "what another client does with another lock, at the same times by the clock",
    relation: "same-causes",
    except: ["deadlock-freedom"],
    foreign: true,
    change: (draft) => {
      const process = draft.header.clients;
      renumberClients(draft, (client) => client, process + 1);
      const base = { index: 0, process, f: "acquire", key: "another" };
      draft.lines = draft.lines.flatMap((line, place) => {
        const isBegin = place % 2 === 0;
        const said = isBegin ? { type: "invoke", value: { ttlMs: 100 } } : { type: "fail", value: { reason: "error" } };
        return [line, { ...base, time: line.time, ...said }];
      });
      return true;
    },
  },
  {
    name: "fencing tokens that are not recorded",
    relation: "no-more",
    change: ({ lines }, random) => forgetField(lines, "fence", random),
  },
  {
    name: "authors of writes that are not recorded",
    relation: "no-more",
    change: ({ lines }, random) =>
      forgetField(
        lines.filter(({ type, f }) => f === "write" || type === "audit"),
        "owner",
        random,
      ),
  },
  {
    name: "a write that the resource does not list",
    relation: "no-more",
    change: (draft, random) => {
      const at = pickIndex(draft, random, ({ type }) => type === "audit");
      if (at >= 0) draft.lines.splice(at, 1);
      return at >= 0;
    },
  },
  {
    name: "that a client enters again, or waits, is not stated",
    relation: "no-more",
    foreign: true,
    change: ({ lines }, random) => forgetField(lines, pick(["inner", "waitMs"], random), random),
  },
  {
    name: "a number of clients that is not stated",
    relation: "no-more",
    foreign: true,
    change: ({ header }) => Reflect.deleteProperty(header, "clients"),
  },
  {
    name: "an outcome that is not known",
    relation: "no-more",
    except: ["deadlock-freedom"],
    change: (draft, random) => {
      const at = pickIndex(draft, random, (line) => isEnd(line) && line.type !== "info" && line.f !== "read");
      const line = draft.lines[at];
      if (line === undefined) return false;
      line.type = "info";
      line.value = { reason: "timed out" };
      const { process } = line;
      const next = Math.max(...draft.lines.map((other) => Number(other.process)).filter(Number.isFinite)) + 1;
      const { clients } = draft.header;
      const fresh = next + ((((Number(process) - next) % clients) + clients) % clients);
      for (const { value, ...later } of draft.lines.slice(at + 1)) {
        if (value?.processes !== undefined)
          value.processes = value.processes.map((each) => (each === process ? fresh : each));
        if (later.process === process)
          draft.lines[draft.lines.findIndex(({ index }) => index === later.index)]!.process = fresh;
      }
      return true;
    },
  },
  {
    name: "an answer that is not recorded",
    relation: "no-more",
    except: ["deadlock-freedom", "mutual-exclusion"],
    change: (draft, random) => {
      const at = pickIndex(draft, random, ({ type }) => type === "info");
      if (at >= 0) draft.lines.splice(at, 1);
      return at >= 0;
    },
  },
  {
    name: "a recording that ends earlier",
    relation: "no-more",
    except: ["deadlock-freedom"],
    change: (draft, random) => {
      draft.lines = draft.lines.slice(0, random.integer(0, draft.lines.length - 1));
      return true;
    },
  },
  {
    name: "an answer that comes later",
    relation: "no-more",
    except: ["deadlock-freedom", "mutual-exclusion", ...RECORDED_ONLY],
    change: (draft, random) => {
      const at = pickIndex(draft, random, (line) => isEnd(line) && line.type !== "info");
      const { value, time, process } = draft.lines[at] ?? {};
      const limit = draft.lines.findIndex((other, index) => index > at && isOf(draft, other, process));
      const to = random.integer(at, (limit < 0 ? draft.lines.length : limit) - 1);
      if (at < 0 || to <= at) return false;
      if (value?.["validForMs"] !== undefined) value["grantedAt"] ??= time;
      move(draft, at, to);
      return true;
    },
  },
  {
    name: "a request that is sent earlier",
    relation: "no-more",
    except: ["deadlock-freedom", ...RECORDED_ONLY],
    change: (draft, random) => {
      const at = pickIndex(draft, random, ({ type }) => type === "invoke");
      const before = draft.lines.findLastIndex(
        (other, index) => index < at && isOf(draft, other, draft.lines[at]?.process),
      );
      const to = random.integer(Math.min(before + 1, at), Math.max(at, 0));
      if (at < 0 || to >= at) return false;
      move(draft, at, to);
      return true;
    },
  },
  {
    name: "a shorter lease",
    relation: "no-more",
    except: ["deadlock-freedom"],
    change: ({ lines }, random) => {
      const field = pick(["ttlMs", "validForMs"], random);
      const values = lines.flatMap(({ value }) => (Number(value?.[field]) > 1 && value !== undefined ? [value] : []));
      if (values.length === 0) return false;
      const value = pick(values, random);
      value[field] = Math.max(0.5, Number(value[field]) * pick([0.1, 0.5, 0.9], random));
      return true;
    },
  },
  {
    name: "a further fault",
    relation: "no-more",
    change: (draft, random) => {
      const at = random.integer(0, draft.lines.length);
      const f = pick(["eviction", "partition", "clock-jump", "restart-node", "promotion", "what nobody knows"], random);
      const value = { phase: "start", targets: ["node-0"], outcome: "installed" };
      insert(draft, at, { index: 0, time: timeBefore(draft, at), process: "nemesis", type: "fault", f, value });
      return true;
    },
  },
  {
    name: "a lost notice to a holder",
    relation: "no-more",
    except: ["deadlock-freedom", "mutual-exclusion"],
    change: (draft, random) => {
      const granted = pickIndex(draft, random, ({ type, f }) => type === "ok" && f === "acquire");
      if (granted < 0) return false;
      const { process, key = "", value } = draft.lines[granted]!;
      const at = random.integer(granted + 1, draft.lines.length);
      const lost = { type: "lost", f: "lease", key, value: { owner: value?.["owner"] } };
      insert(draft, at, { index: 0, time: timeBefore(draft, at), process, ...lost });
      return true;
    },
  },
];

function isEnd({ type, process }: Line): boolean {
  return typeof process === "number" && (type === "ok" || type === "fail" || type === "info");
}

/** Whether a line is of the client of this process, or of no client. */
function isOf({ header: { clients } }: Draft, line: Line, process: number | string | undefined): boolean {
  return typeof line.process !== "number" || line.process % clients === Number(process) % clients;
}

function renumberClients({ header, lines }: Draft, to: (client: number) => number, clients: number): void {
  const before = header.clients;
  const renumbered = (process: number): number => to(process % before) + clients * Math.floor(process / before);
  for (const line of lines) {
    if (typeof line.process === "number") line.process = renumbered(line.process);
    if (line.value?.processes !== undefined) line.value.processes = line.value.processes.map(renumbered);
  }
  header.clients = clients;
}

/** Takes a field from all values that have it, or from one of them. */
function forgetField(lines: readonly Line[], field: string, random: Random): boolean {
  const values = lines.flatMap(({ value }) => (value?.[field] === undefined ? [] : [value]));
  if (values.length === 0) return false;
  for (const value of random.integer(0, 1) === 0 ? values : [pick(values, random)]) delete value[field];
  return true;
}

function renameAll({ lines }: Draft, field: string, names: readonly string[]): boolean {
  const renamed = new Map<unknown, string>();
  for (const { value } of lines) {
    if (value?.[field] === undefined) continue;
    const name = renamed.get(value[field]) ?? names[renamed.size] ?? `name ${renamed.size}`;
    renamed.set(value[field], name);
    value[field] = name;
  }
  return renamed.size > 0;
}

function insert({ lines }: Draft, at: number, line: Line): void {
  lines.splice(at, 0, line);
}

function timeBefore({ lines }: Draft, at: number): number {
  return lines[at - 1]?.time ?? 0;
}

/** Moves a line to the place and time of another. */
function move({ lines }: Draft, from: number, to: number): void {
  const { time } = lines[to]!;
  const [line] = lines.splice(from, 1);
  lines.splice(to, 0, { ...line!, time });
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[random.integer(0, values.length - 1)]!;
}

/** The place of one of the lines that match; -1 if none does. */
function pickIndex({ lines }: Draft, random: Random, matches: (line: Line) => boolean): number {
  const places = lines.flatMap((line, index) => (matches(line) ? [index] : []));
  return places.length === 0 ? -1 : pick(places, random);
}
