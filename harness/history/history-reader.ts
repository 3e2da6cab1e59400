import { notJson, ONE_A_LINE } from "../core/json/not-json.ts";
import type { z } from "zod";
import { UserError } from "../core/errors.ts";
import { fieldGivenTwice } from "../core/json/given-twice.ts";
import { refusingField } from "./edn/answer-words.ts";
import type { EdnMap } from "./edn/edn-forms.ts";
import { firstIssue } from "./first-issue.ts";
import { fieldProblem, inexact } from "./field-problems.ts";
import {
  endMarkerSchema,
  eventSchema,
  HISTORY_FORMAT,
  HISTORY_VERSION,
  historyHeaderSchema,
  isMarked,
  type EndMarker,
  type History,
  type HistoryEnd,
  type HistoryEvent,
  type HistoryHeader,
} from "./history.ts";
import { otherFormat } from "./other-formats.ts";

/**
 * Reads a history line by line and refuses what is not one. It keeps one small record per process, so that histories of
 * any length can be streamed through it. Every error is a `UserError` that names the source and the line, counted
 * from 1.
 */
export class HistoryReader {
  #line = 0;
  #header: HistoryHeader | undefined;
  #end: EndMarker | undefined;
  #cutLine: number | undefined;
  #nextIndex = 0;
  #lastTime = 0;
  readonly #open = new Map<number, { f: string; key: string; line: number }>();
  readonly #retired = new Map<number, number>();
  #hasInvocations = false;
  readonly #source: string;

  /** @param source what to call the history in errors: a file name, or "standard input" */
  constructor(source: string) {
    this.#source = source;
  }

  /** The header, once its line has been read. */
  get header(): HistoryHeader | undefined {
    return this.#header;
  }

  /** What is known of the end of the history, once all of it has been read. */
  get ending(): HistoryEnd {
    return {
      end: this.#end,
      cutLine: this.#cutLine,
    };
  }

  /**
   * Takes the next line, without its line feed. Returns the event, or undefined for the header, for the end marker and
   * for a blank line at the end. @throws UserError when the line cannot stand where it stands
   */
  push(text: string): HistoryEvent | undefined {
    this.#line += 1;
    if (text.trim() === "") return undefined;
    const json = this.#parseJson(text);
    if (this.#header === undefined) {
      this.#header = this.#readHeader(json);
      return undefined;
    }
    if (this.#end !== undefined) {
      throw this.#error(
        "it follows the end marker, which must be the last line",
        "remove the lines after the end marker",
      );
    }
    if (isRecord(json) && json["type"] === "end" && isMarked(this.#header)) {
      this.#end = this.#parsed(endMarkerSchema, json);
      this.#stamp(this.#end);
      return undefined;
    }
    const event = this.#readEvent(json);
    this.#follow(event);
    return event;
  }

  /**
   * Takes a last line that has no line feed. In a history that should have an end marker, a last line that is not JSON
   * was left by a killed writer and is not an error: `ending` reports it. @throws UserError as `push` does
   */
  pushUnterminated(text: string): HistoryEvent | undefined {
    const isCut = this.#header !== undefined && isMarked(this.#header) && this.#end === undefined && !isJson(text);
    if (!isCut) return this.push(text);
    this.#line += 1;
    this.#cutLine = this.#line;
    return undefined;
  }

  /** To be called after the last line. @throws UserError when there was no header */
  end(): HistoryHeader {
    if (this.#header === undefined) {
      throw new UserError(
        `${this.#source} holds no history: its first line is missing`,
        "give a file that lockstorm recorded",
      );
    }
    return this.#header;
  }

  #error(problem: string, hint: string): UserError {
    return new UserError(`${this.#source}, line ${this.#line}: ${problem}`, hint);
  }

  #parseJson(text: string): unknown {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      const { problem, hint } = notJson(text);
      throw this.#error(problem, hint);
    }
    const twice = fieldGivenTwice(text, json);
    if (twice !== undefined) throw this.#error(`${brief(twice)} is given twice in one object`, "give each field once");
    return json;
  }

  #readHeader(json: unknown): HistoryHeader {
    const version = isRecord(json) ? json["version"] : undefined;
    const other = isRecord(json) ? otherFormat(json) : undefined;
    if (other !== undefined) throw this.#error(`not a history, but ${other.what}`, other.hint);
    if (Array.isArray(json)) throw this.#error("a JSON array", `${ONE_A_LINE}, as \`jq -c '.[]'\` does`);
    if (!isRecord(json) || json["format"] !== HISTORY_FORMAT) {
      throw this.#error(
        `no "format":"${HISTORY_FORMAT}" in the first line`,
        `begin the file with a line {"format":"${HISTORY_FORMAT}","version":${HISTORY_VERSION},"clients":<number>}`,
      );
    }
    if (typeof version === "number" && version > HISTORY_VERSION) {
      throw this.#error(`format version ${version} is newer than ${HISTORY_VERSION}`, "update lockstorm");
    }
    const parsed = historyHeaderSchema.safeParse(json);
    if (!parsed.success) throw this.#error(`bad header: ${firstIssue(parsed.error)}`, "correct the first line");
    return parsed.data;
  }

  #readEvent(json: unknown): HistoryEvent {
    if (!isRecord(json)) throw this.#error("an event is a JSON object", "correct the line");
    const schema = eventSchema(json["type"], json["f"]);
    if (schema === undefined) {
      const what = `"type":${brief(json["type"])}, "f":${brief(json["f"])}`;
      const hint = "write two lines for each operation, its invocation and its completion: see docs/history.md";
      throw this.#error(`unknown event ${what}`, hint);
    }
    this.#refuseRefusals(json);
    return this.#parsed(schema, json);
  }

  /** A refused try that was recorded as a success would be a grant, which accuses its lock. */
  #refuseRefusals({ type, f, value }: Record<string, unknown>): void {
    if (type !== "ok" || (f !== "acquire" && f !== "extend") || !isRecord(value)) return;
    const refusing = refusingField(value as EdnMap);
    if (refusing === undefined) return;
    throw this.#error(
      `an ${f} of the type "ok" says ${brief(refusing)}:${brief(value[refusing])}`,
      `write "type":"fail" for one that was refused, with the reason "contended" if another client held the lock`,
    );
  }

  #parsed<T>(schema: z.ZodType<T>, json: unknown): T {
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const known = issue === undefined ? undefined : inexact(issue);
    const { problem, hint } = known ?? fieldProblem(parsed.error);
    throw this.#error(problem, hint);
  }

  /** Checks the order: indices, time, and that each process does one thing at a time. */
  #follow(event: HistoryEvent): void {
    this.#stamp(event);
    if (event.type === "invoke") this.#begin(event.process, event.f, event.key);
    else if (event.type === "ok" || event.type === "fail" || event.type === "info") {
      this.#finish(event.process, event.f, event.key, event.type);
    }
  }

  #stamp(event: Pick<HistoryEvent, "index" | "time">): void {
    if (event.index !== this.#nextIndex) {
      throw this.#error(
        `index ${event.index} where ${this.#nextIndex} is expected`,
        "restore the missing lines or their order",
      );
    }
    this.#nextIndex += 1;
    if (event.time < this.#lastTime) {
      throw this.#error(
        `time goes backwards, from ${this.#lastTime} to ${event.time}`,
        "sort the lines by `time`; if it comes from the clocks of several machines, record all events by one clock",
      );
    }
    this.#lastTime = event.time;
  }

  #begin(process: number, f: string, key: string): void {
    this.#hasInvocations = true;
    const open = this.#open.get(process);
    const retired = this.#retired.get(process);
    if (open !== undefined) {
      throw this.#error(
        `process ${process} invokes ${f} while its ${open.f} of line ${open.line} is open`,
        "a process has at most one open operation: give the second operation another process number",
      );
    }
    if (retired !== undefined) {
      throw this.#error(
        `process ${process} continues after its indeterminate operation in line ${retired}`,
        "after info, a client continues under a new process number",
      );
    }
    this.#open.set(process, { f, key, line: this.#line });
  }

  #finish(process: number, f: string, key: string, type: string): void {
    const open = this.#open.get(process);
    if (open === undefined) {
      throw this.#error(
        `process ${process} completes ${f}, but it has no open operation`,
        this.#hasInvocations
          ? "complete each operation once, after its invocation; of one that was under way when the recording began, record the invocation too"
          : "write two lines for each operation: its invocation, at the time at which the client asked, and its completion",
      );
    }
    if (open.f !== f || open.key !== key) {
      throw this.#error(
        `process ${process} completes ${f} of ${brief(key)}, but ${open.f} of ${brief(open.key)} (line ${open.line}) is open`,
        "complete the operation that was invoked",
      );
    }
    this.#open.delete(process);
    if (type === "info") this.#retired.set(process, this.#line);
  }
}

/** Reads a whole history from its text. @throws UserError naming the line that cannot be read */
export function parseHistory(text: string, source: string): History {
  const reader = new HistoryReader(source);
  const events: HistoryEvent[] = [];
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    const event = at === lines.length - 1 ? reader.pushUnterminated(line) : reader.push(line);
    if (event !== undefined) events.push(event);
  }
  return { header: reader.end(), events, ...reader.ending };
}

function isJson(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value in an error message; a long text is cut, and of an object or array only its kind is shown. */
function brief(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "[...]" : "{...}";
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
