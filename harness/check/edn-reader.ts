import { parseEDNString } from "edn-data";
import { messageOf, UserError } from "../core/errors.ts";
import {
  eventSchema,
  HISTORY_FORMAT,
  HISTORY_VERSION,
  OPERATIONS,
  type HistoryEvent,
  type HistoryHeader,
} from "../core/history.ts";

/** A lease that never ends, for histories of locks without one: eleven days. */
const NO_LEASE_MS = 1e9;

/** What lock workloads of Jepsen call their operations, beside our own names. */
const OPERATION_NAMES: Readonly<Record<string, string>> = { lock: "acquire", unlock: "release", refresh: "extend" };

/** What nemeses of Jepsen call their faults; each begins or ends one of ours. */
const FAULT_NAMES: Readonly<Record<string, readonly [kind: string, phase: "start" | "heal"]>> = {
  "start-partition": ["partition", "start"],
  "stop-partition": ["partition", "heal"],
  kill: ["kill-node", "start"],
  start: ["kill-node", "heal"],
  pause: ["pause-node", "start"],
  resume: ["pause-node", "heal"],
  "bump-clock": ["clock-jump", "start"],
  "strobe-clock": ["clock-jump", "start"],
  "reset-clock": ["clock-jump", "heal"],
};

interface Draft {
  readonly process: number | "nemesis";
  readonly type: string;
  readonly f: string;
  readonly key?: string;
  readonly value: object | undefined;
}

type Form = Readonly<Record<string, unknown>>;

/** Whether a history whose first line this is comes from Jepsen rather than from lockstorm. */
export function looksLikeEdn(firstLine: string): boolean {
  return /^\s*(?:#|;|\(|\[|\{\s*:)/.test(firstLine);
}

/**
 * Reads Jepsen's `history.edn` of a lock workload line by line: one operation map a line, or several, in a vector or
 * not. Operations named `acquire`, `release` (or `lock`, `unlock`, `refresh`) become events; all others are left out.
 *
 * Jepsen's locks report no lease: none is assumed, so that nothing but a release ends a hold. An owner is what the
 * operation's value calls `owner`, `client` or `uid`, else the process itself. A release that is `ok` has released; an
 * acquire that failed without an error was contended. What its nemesis did counts as not seen to take effect.
 */
export class EdnReader {
  readonly #source: string;
  readonly header: HistoryHeader = { format: HISTORY_FORMAT, version: HISTORY_VERSION, source: "jepsen" };
  #line = 0;
  #index = 0;
  #lastTime = 0;
  #begun = false;
  #bracketed = false;
  /** By process, the operation that is open and its line. */
  readonly #open = new Map<number, { readonly f: string; readonly key: string; readonly line: number }>();
  readonly #retired = new Set<number>();
  /** By process and key, the owner of the last acquire. */
  readonly #owners = new Map<string, string>();

  constructor(source: string) {
    this.#source = source;
  }

  /** The events of the next line. @throws UserError naming the line when it is no part of a history */
  push(text: string): readonly HistoryEvent[] {
    this.#line += 1;
    return this.#forms(this.#withoutBrackets(text)).flatMap((form) => this.#event(form) ?? []);
  }

  /** To be called after the last line. */
  end(): HistoryHeader {
    return this.header;
  }

  /** Operations may stand in a vector or a list, which begins on the first line. An operation itself ends with a brace. */
  #withoutBrackets(text: string): string {
    if (this.#begun) return this.#bracketed ? text.replace(/(^|\})\s*[\])]\s*$/, "$1") : text;
    const content = text.replace(/;.*$/, "").trim();
    if (content === "") return text;
    this.#begun = true;
    this.#bracketed = /^[[(]/.test(content);
    return this.#bracketed ? this.#withoutBrackets(content.slice(1)) : text;
  }

  #error(problem: string): UserError {
    const mend = "give a history.edn of a lock workload, with one operation a line";
    return new UserError(`${this.#source}, line ${this.#line}: ${problem}`, mend);
  }

  #forms(line: string): readonly Form[] {
    let values: unknown;
    try {
      values = parseEDNString(`[${line}\n]`, { mapAs: "object", keywordAs: "string", listAs: "array", setAs: "array" });
    } catch (error) {
      throw this.#error(`not EDN: ${messageOf(error)}`);
    }
    if (!Array.isArray(values)) throw this.#error("not a complete form");
    return values.map((value: unknown) => {
      const form = isForm(value) && "tag" in value && "val" in value ? value["val"] : value;
      if (!isForm(form) || !("type" in form)) throw this.#error("an operation is a map with a :type");
      return form;
    });
  }

  #event(form: Form): HistoryEvent | undefined {
    const { type, process } = form;
    if (process === "nemesis") return this.#fault(form);
    if (typeof process !== "number") throw this.#error(":process is neither a number nor :nemesis");
    const f = OPERATION_NAMES[String(form["f"])] ?? String(form["f"]);
    if (!OPERATIONS.some((known) => known === f) || typeof type !== "string") return undefined;
    const { key, value } = keyed(form);
    this.#follow(process, type, f, key);
    return this.#stamped(form, { process, type, f, key, value: this.#value(type, f, key, process, value, form) });
  }

  #fault(form: Form): HistoryEvent | undefined {
    const name = String(form["f"]);
    const [kind, phase] = FAULT_NAMES[name] ?? [name, /^(stop|heal|resume)/.test(name) ? "heal" : "start"];
    const evidence =
      form["value"] === undefined || form["value"] === null ? "" : JSON.stringify(form["value"], withBigints);
    const value = { phase, targets: [], outcome: "indeterminate", evidence };
    return this.#stamped(form, { process: "nemesis", type: "fault", f: kind, value });
  }

  #stamped(form: Form, event: Draft): HistoryEvent {
    const time = typeof form["time"] === "number" ? Math.max(0, Math.round(form["time"])) : this.#lastTime + 1;
    this.#lastTime = Math.max(this.#lastTime, time);
    const parsed = eventSchema(event.type, event.f)?.safeParse({ ...event, index: this.#index, time: this.#lastTime });
    if (parsed === undefined) throw this.#error(`unknown :type :${event.type}`);
    if (!parsed.success) throw this.#error(parsed.error.issues[0]?.message ?? "does not fit the format");
    this.#index += 1;
    return parsed.data;
  }

  /** A process does one thing at a time, and nothing after an indeterminate end. */
  #follow(process: number, type: string, f: string, key: string): void {
    const open = this.#open.get(process);
    if (type === "invoke") {
      if (open !== undefined)
        throw this.#error(`process ${process} invokes ${f} while its ${open.f} of line ${open.line} is open`);
      if (this.#retired.has(process)) throw this.#error(`process ${process} goes on after an :info`);
      this.#open.set(process, { f, key, line: this.#line });
      return;
    }
    if (open === undefined || open.f !== f || open.key !== key) {
      throw this.#error(`process ${process} completes ${f}, but it has not invoked that`);
    }
    this.#open.delete(process);
    if (type === "info") this.#retired.add(process);
  }

  #value(type: string, f: string, key: string, process: number, value: Form, form: Form): object | undefined {
    if (type === "fail" || type === "info") {
      const error = form["error"] ?? value["reason"];
      if (error === undefined || error === null)
        return f === "acquire" && type === "fail" ? { reason: "contended" } : undefined;
      return { reason: typeof error === "string" ? error : JSON.stringify(error, withBigints) };
    }
    const holder = `${process} ${key}`;
    const owner = text(value["owner"] ?? value["client"] ?? value["uid"]);
    if (f === "acquire" && type === "invoke") return { ttlMs: NO_LEASE_MS, ...value };
    if (f === "acquire") {
      const known = owner ?? `process-${process}`;
      this.#owners.set(holder, known);
      return { ...value, owner: known, ...numbers(value, "fence", "validForMs") };
    }
    const own = owner ?? this.#owners.get(holder) ?? `process-${process}`;
    if (f === "release" && type === "ok") return { released: true, ...value };
    if (f === "extend") return { ttlMs: NO_LEASE_MS, ...value, owner: own };
    return f === "release" ? { ...value, owner: own } : value;
  }
}

/** The key of an operation (its own field, or the first of a pair as in `jepsen.independent`) and the rest of its value. */
function keyed(form: Form): { readonly key: string; readonly value: Form } {
  const { key, value } = form;
  const name = text(key);
  if (name !== undefined) return { key: name, value: isForm(value) ? value : {} };
  if (Array.isArray(value) && value.length === 2) {
    const rest: unknown = value[1];
    return { key: text(value[0]) ?? JSON.stringify(value[0], withBigints), value: isForm(rest) ? rest : {} };
  }
  return { key: "lock", value: isForm(value) ? value : {} };
}

function isForm(value: unknown): value is Form {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** These fields as numbers, where they are; EDN's big integers are none to JavaScript. */
function numbers(value: Form, ...names: readonly string[]): Readonly<Record<string, number>> {
  const found = names.map((name) => [name, value[name]] as const);
  return Object.fromEntries(
    found.flatMap(([name, number]) => (typeof number === "bigint" ? [[name, Number(number)]] : [])),
  );
}

function withBigints(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
