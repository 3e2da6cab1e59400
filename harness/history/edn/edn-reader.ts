import type { z } from "zod";
import { jepsenFault } from "../../../faults/traits.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import {
  eventSchema,
  HISTORY_FORMAT,
  OPERATIONS,
  type HistoryEnd,
  type HistoryEvent,
  type HistoryHeader,
} from "../history.ts";
import { ENDLESS_TTL_MS } from "../holds/endless-lease.ts";
import { fieldProblem, inexact } from "../field-problems.ts";
import { EdnForms, type EdnMap, type EdnValue } from "./edn-forms.ts";
import { Answers } from "./answers.ts";
import { EdnTimes, timeDoubt } from "./edn-times.ts";
import { LeftOut } from "./left-out.ts";
import { OtherResources } from "./other-resources.ts";
import { LineOrder } from "./line-order.ts";
import { ProcessNames } from "./process-names.ts";
import { ProcessOwners } from "./process-owners.ts";
import { SilentReleases } from "./silent-releases.ts";
import { type FieldDoubt, isDoubt, UsualFields } from "./usual-fields.ts";
import { WrappedHistory } from "./wrapped-history.ts";
import {
  type EdnAnswer,
  answerOf,
  ednText,
  isEdnMap,
  named,
  nameOf,
  operationOf,
  refusalOf,
  typeOf,
  TYPES,
  withBigints,
  withUsualNames,
} from "./edn-operations.ts";

const ONE_KIND = "number all processes, or give each a name";
const SAY_REFUSED = "write :fail for an acquire that was refused, and :info where that is not known";
const SAY_FAILED = "write :fail for one that the lock refused, and :info where that is not known";

/** An operation that is open. */
interface OpenForm {
  readonly f: string;
  readonly key: string;
  readonly line: number;
  /** The owner that a release or an extension is for, or under which an acquire asks. */
  owner?: string;
}

/** An operation whose key is known. */
interface Named {
  readonly type: string;
  readonly f: string;
  readonly key: string;
  readonly process: number;
  readonly asked: string | undefined;
}

interface Draft {
  readonly process: number | "nemesis";
  readonly type: string;
  readonly f: string;
  readonly key?: string;
  readonly value: object | undefined;
}

/** Whether a history whose first line this is comes from Jepsen rather than from lockstorm. A JSON array is neither. */
export function looksLikeEdn(firstLine: string): boolean {
  return /^\s*(?:#|;|\(|\[(?!\s*\{\s*")|\{\s*:)/.test(firstLine);
}

/**
 * Reads Jepsen's `history.edn` of a lock workload line by line: operation maps one after the other, in a vector or list
 * or not, with line feeds wherever EDN allows them. Operations named `acquire`, `release` (or `lock`, `unlock`,
 * `refresh`) become events; all others are left out.
 *
 * Jepsen's locks report no lease, so none is assumed: only a release ends a hold. The owner is the field `owner`,
 * `client` or `uid` of the operation's value, or else the process itself. A fault of the nemesis counts as not seen to
 * take effect, unless lockstorm wrote the history.
 */
export class EdnReader {
  readonly #source: string;
  readonly #leftOut = new LeftOut();
  readonly #others = new OtherResources();
  /** As in version 1: Jepsen's histories have no end marker. */
  /**
   * `movedTimes` counts events whose time did not fit the order of the lines; `leftOut`, those of operations other than
   * a lock's, of which `leftOutNames` has the first few.
   */
  readonly header: HistoryHeader & { movedTimes: number; leftOut: number; readonly leftOutNames: readonly string[] } = {
    format: HISTORY_FORMAT,
    version: 1,
    source: "jepsen",
    movedTimes: 0,
    leftOut: 0,
    leftOutNames: this.#leftOut.names,
  };
  #line = 0;
  /** Which of the operations of its line is read, if there are several. */
  #place: number | undefined;
  #index = 0;
  #cutLine: number | undefined;
  readonly #times = new EdnTimes();
  readonly #lines = new LineOrder();
  readonly #fields = new UsualFields();
  readonly #forms = new EdnForms();
  readonly #wrapped = new WrappedHistory();
  /** By process, the operation that is open and its line. */
  readonly #open = new Map<number, OpenForm>();
  readonly #retired = new Set<number>();
  readonly #owners = new ProcessOwners();
  readonly #names = new ProcessNames();
  #hasNumbers = false;
  readonly #answers = new Answers();
  readonly #silent = new SilentReleases();
  /** Whether the last answer says nothing. */
  #isSilent = false;
  /** The first value of an operation that may be the name of its lock. */
  #possibleName: string | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /**
   * The events of the operations that end on the next line. @throws UserError naming the line when it is not part of a
   * history
   */
  push(text: string): readonly HistoryEvent[] {
    return this.#take(() => this.#forms.push(text));
  }

  /** The same of a last line without a line feed, which may be cut off: `ending` reports it. @throws UserError as `push` does */
  pushUnterminated(text: string): readonly HistoryEvent[] {
    return this.#take(() => this.#forms.pushUnterminated(text));
  }

  #take(forms: () => readonly EdnValue[]): readonly HistoryEvent[] {
    this.#line += 1;
    const where = `${this.#source}, line ${this.#line}`;
    const read = this.#read(forms).flatMap((form) => this.#wrapped.operationsOf(form, where));
    return read.flatMap((form, place) => {
      this.#place = read.length === 1 ? undefined : place + 1;
      const operation = isEdnMap(form) ? withUsualNames(form) : form;
      if (!isEdnMap(operation) || !("type" in operation)) throw this.#error("an operation is a map with a :type");
      this.#refuseDoubt(timeDoubt(operation) ?? this.#lines.next(operation));
      return this.#event(operation) ?? [];
    });
  }

  /** To be called after the last line. @throws UserError when no operation is complete */
  end(): HistoryHeader {
    const isTorn = this.#forms.isOpen;
    if (isTorn && this.#index === 0) throw this.#error("it ends within an operation (is the file truncated?)");
    if (isTorn) this.#cutLine = this.#line;
    return this.header;
  }

  /** What is known of the end of the history, once all of it has been read: whether it ends within an operation. */
  get ending(): HistoryEnd {
    return { cutLine: this.#cutLine };
  }

  #error(problem: string, hint = "give a history.edn of a lock workload, as Jepsen stores it"): UserError {
    const place = this.#place === undefined ? "" : `, operation ${this.#place}`;
    return new UserError(`${this.#source}, line ${this.#line}${place}: ${problem}`, hint);
  }

  #read(forms: () => readonly EdnValue[]): readonly EdnValue[] {
    this.#place = undefined;
    try {
      return forms();
    } catch (error) {
      throw this.#error(`not EDN: ${messageOf(error)}`);
    }
  }

  #refuseDoubt(doubt: FieldDoubt | undefined): void {
    if (doubt !== undefined) throw this.#error(doubt.problem, doubt.hint);
  }

  #event(operation: EdnMap): HistoryEvent | undefined {
    if (operation["process"] === "nemesis") return this.#fault(operation);
    const type = typeOf(operation);
    const process = this.#processOf(operation);
    const name = ednText(operation["f"]) ?? "";
    const f = operationOf(name);
    const isOther = this.#others.has(process, type, f, operation);
    if (isOther || !OPERATIONS.some((known) => known === f) || type === undefined) {
      this.#leaveOut(name);
      // The client of an operation that has an unknown outcome goes on under another number, whatever the operation was.
      if (type === "invoke") this.#owners.begin(process);
      if (type === "info") this.#owners.retire(process);
      return undefined;
    }
    if (!TYPES.has(type)) throw this.#error(`unknown :type :${type}`, "write :invoke, :ok, :fail or :info");
    if (type !== "invoke") this.#leftOut.understood();
    this.#refuseDoubt(this.#leftOut.doubt);
    const form = this.#fields.of(operation, f);
    if (isDoubt(form)) throw this.#error(form.problem, form.hint);
    const { key: stated, value } = named(form);
    const key = stated ?? this.#impliedKey(process, type, f, form);
    const asked = this.#open.get(process)?.owner;
    this.#follow(process, type, f, key);
    const answer = answerOf(f, type, form) ?? this.#answer(process, type, f, form);
    if (type === "info") this.#retireName(form);
    if (answer !== undefined) return this.#stamped(form, { process, f, key, ...answer });
    return this.#stamped(form, {
      process,
      type,
      f,
      key,
      value: this.#value({ type, f, key, process, asked }, value, form),
    });
  }

  /** Processes have numbers, or all of them have names. */
  #processOf({ process }: EdnMap): number {
    if (typeof process === "number") {
      if (this.#names.hasAny) throw this.#error(`:process ${process}, where others have names`, ONE_KIND);
      this.#hasNumbers = true;
      return process;
    }
    if (typeof process !== "string") throw this.#error(":process is neither a number, a name nor :nemesis");
    if (this.#hasNumbers) throw this.#error(`:process ${process}, where others have numbers`, ONE_KIND);
    const number = this.#names.numberOf(process);
    if (number === undefined) throw this.#error("too many names of processes", "number the processes from 0");
    return number;
  }

  #retireName({ process }: EdnMap): void {
    if (typeof process === "string") this.#names.retire(process);
  }

  /** What the value at the end of an operation means, where that is not what its type says. */
  #answer(process: number, type: string, f: string, { value = null }: EdnMap): EdnAnswer | undefined {
    if (f !== "acquire" && f !== "release" && f !== "extend") return undefined;
    if (type === "invoke") this.#answers.ask(process, value);
    this.#isSilent = false;
    if (type !== "ok") return undefined;
    const meaning = this.#answers.answer(process, f, value, this.#line);
    if (meaning === "refused") return refusalOf(f);
    this.#isSilent = meaning === "unsaid";
    if (meaning !== "done" && meaning !== "unsaid") throw this.#unclear(f, value, meaning);
    const refused = f === "release" ? this.#answers.released(process) : undefined;
    if (refused === undefined) return undefined;
    throw this.#error(`a release after the acquire of line ${refused}, which ended as :ok with nil`, SAY_REFUSED);
  }

  #unclear(f: string, value: EdnValue, { contradicts, earlier }: { contradicts: number; earlier: string }): UserError {
    const own = JSON.stringify(value, withBigints);
    const problem = `an :ok of ${f === "acquire" ? "an" : "a"} ${f} with the :value ${own}, where that of line ${contradicts} has ${earlier}`;
    return this.#error(`${problem}: which of them was refused?`, f === "acquire" ? SAY_REFUSED : SAY_FAILED);
  }

  #leaveOut(name: string): void {
    const { header } = this;
    header.leftOut += 1;
    this.#leftOut.add(name, this.#line);
    this.#refuseDoubt(this.#leftOut.doubt);
  }

  /** The key of an operation that names none: that of its invocation, or else of the last acquire of its process. */
  #impliedKey(process: number, type: string, f: string, { value = null }: EdnMap): string {
    if (type !== "invoke") return this.#open.get(process)?.key ?? "lock";
    if (value !== null && !isEdnMap(value)) this.#refuseSecondName(JSON.stringify(value, withBigints));
    return (f === "acquire" ? undefined : this.#owners.keyOf(process)) ?? "lock";
  }

  /** Where the operations have several such values, they may be of several locks. */
  #refuseSecondName(name: string): void {
    this.#possibleName ??= name;
    if (name === this.#possibleName) return;
    const problem = `the :value ${name}, where an earlier operation has ${this.#possibleName}: does it name the lock?`;
    throw this.#error(problem, "give the name of the lock as :key, or set the :value to nil");
  }

  #fault(form: EdnMap): HistoryEvent | undefined {
    const name = ednText(form["f"]) ?? "unknown";
    const [kind, phase] = jepsenFault(name) ?? [
      name.replace(/^(start|stop)-/, ""),
      /^(stop|heal|resume)/.test(name) ? "heal" : "start",
    ];
    const { value: told = null } = form;
    // A history that lockstorm wrote says what was seen of a fault; other histories do not.
    const own = isEdnMap(told) && "outcome" in told && "targets" in told ? told : {};
    const evidence = told === null ? "" : JSON.stringify(told, withBigints);
    const value = { targets: [], outcome: "indeterminate", evidence, ...own, phase };
    return this.#stamped(form, { process: "nemesis", type: "fault", f: kind, value });
  }

  #stamped(form: EdnMap, event: Draft): HistoryEvent {
    const time = this.#times.of(form, event.value);
    if (typeof time !== "number") throw this.#error(time.problem, time.hint);
    this.header.movedTimes = this.#times.moved;
    const parsed = eventSchema(event.type, event.f)?.safeParse({ ...event, index: this.#index, time });
    if (parsed === undefined) throw this.#error(`unknown :type :${event.type}`);
    if (!parsed.success) throw this.#misfit(event, parsed.error);
    this.#index += 1;
    return this.#silent.heard(parsed.data, this.#isSilent);
  }

  #misfit({ type, f }: Draft, error: z.core.$ZodError): UserError {
    const [issue] = error.issues;
    const known = issue === undefined ? undefined : inexact(issue);
    if (known !== undefined) return this.#error(known.problem, known.hint);
    const { problem, hint } = fieldProblem(error);
    return this.#error(`:${type} :${f}: ${problem}`, hint);
  }

  /** A process does one thing at a time, and nothing after an indeterminate end. */
  #follow(process: number, type: string, f: string, key: string): void {
    const open = this.#open.get(process);
    if (type === "invoke") {
      if (open !== undefined)
        throw this.#error(`process ${process} invokes ${f} while its ${open.f} of line ${open.line} is open`);
      if (this.#retired.has(process)) {
        const hint = "give what it did afterwards a :process of its own: the operation may still be under way";
        throw this.#error(`process ${process} continues after an :info`, hint);
      }
      this.#open.set(process, { f, key, line: this.#line });
      this.#owners.begin(process);
      if (f === "acquire") this.#owners.seek(process, key);
      return;
    }
    if (open === undefined || open.f !== f || open.key !== key) {
      throw this.#error(`process ${process} completes ${f}, but it did not invoke it`);
    }
    this.#open.delete(process);
    if (type === "ok" && f === "release" && open.owner !== undefined) this.#owners.released(process, key, open.owner);
    if (type === "info") this.#retired.add(process);
    if (type === "info") this.#owners.retire(process);
  }

  /** @param operation `asked` is the owner that its invocation was for */
  #value(operation: Named, value: EdnMap, form: EdnMap): object | undefined {
    const { type, f, key, process, asked } = operation;
    if (type === "fail" || type === "info") {
      const error = form["error"] ?? value["reason"];
      if (error === undefined || error === null)
        return f === "acquire" && type === "fail" ? { reason: "contended" } : undefined;
      return { reason: typeof error === "string" ? error : JSON.stringify(error, withBigints) };
    }
    const named = value["owner"] ?? value["client"] ?? value["uid"];
    const owner = typeof named === "boolean" ? undefined : nameOf(named);
    const open = this.#open.get(process);
    if (f === "acquire" && type === "invoke") {
      if (open !== undefined && owner !== undefined) open.owner = owner;
      return { ttlMs: ENDLESS_TTL_MS, ...value };
    }
    if (f === "acquire") {
      const known = owner ?? asked ?? `process-${process}`;
      this.#owners.granted(process, key, known, (owner ?? asked) !== undefined);
      return { ...value, owner: known, ...numbers(value, "fence", "validForMs") };
    }
    const stated = this.#owners.isUnnamed(process, key) ? undefined : owner;
    const own = stated ?? asked ?? this.#owners.ownerOf(process, key) ?? `process-${process}`;
    if (open !== undefined) open.owner = own;
    if (f === "release" && type === "ok") return { released: true, ...value };
    if (f === "extend") return { ttlMs: this.#endlessTtl(type, value), ...value, owner: own };
    return f === "release" ? { ...value, owner: own } : value;
  }

  /** The length of an extension that states none. */
  #endlessTtl(type: string, value: EdnMap): number {
    if (type !== "invoke" || "ttlMs" in value || !this.#times.asksForLeases) return ENDLESS_TTL_MS;
    throw this.#error("an :extend without a lease, where an acquire states one", "give :ttlMs in its :value");
  }
}

/** Those of these fields that are numbers; EDN's big integers are not numbers in JavaScript. */
function numbers(value: EdnMap, ...names: readonly string[]): Readonly<Record<string, number>> {
  const found = names.map((name) => [name, value[name]] as const);
  return Object.fromEntries(
    found.flatMap(([name, number]) => (typeof number === "bigint" ? [[name, Number(number)]] : [])),
  );
}
