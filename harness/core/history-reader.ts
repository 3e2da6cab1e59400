import { UserError } from "./errors.ts";
import {
  eventSchema,
  HISTORY_FORMAT,
  HISTORY_VERSION,
  historyHeaderSchema,
  type History,
  type HistoryEvent,
  type HistoryHeader,
} from "./history.ts";

/**
 * Reads a history line by line and refuses what is not one. It keeps one small record per process, so that histories of
 * any length can be streamed through it. Every error is a `UserError` that names the source and the line, counted
 * from 1.
 */
export class HistoryReader {
  #line = 0;
  #header: HistoryHeader | undefined;
  #nextIndex = 0;
  #lastTime = 0;
  readonly #open = new Map<number, { f: string; key: string; line: number }>();
  readonly #retired = new Map<number, number>();
  readonly #source: string;

  /** @param source what to call the history in errors: a file name, or "standard input" */
  constructor(source: string) {
    this.#source = source;
  }

  /** The header, once its line was read. */
  get header(): HistoryHeader | undefined {
    return this.#header;
  }

  /**
   * Takes the next line, without its line feed. Returns the event, or undefined for the header and for a blank line at
   * the end. @throws UserError when the line cannot stand where it stands
   */
  push(text: string): HistoryEvent | undefined {
    this.#line += 1;
    if (text.trim() === "") return undefined;
    const json = this.#parseJson(text);
    if (this.#header === undefined) {
      this.#header = this.#readHeader(json);
      return undefined;
    }
    const event = this.#readEvent(json);
    this.#follow(event);
    return event;
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

  #error(problem: string, mend: string): UserError {
    return new UserError(`${this.#source}, line ${this.#line}: ${problem}`, mend);
  }

  #parseJson(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.#error("not JSON (is the file cut off?)", "remove the incomplete line, or record the history again");
    }
  }

  #readHeader(json: unknown): HistoryHeader {
    const version = isRecord(json) ? json["version"] : undefined;
    if (!isRecord(json) || json["format"] !== HISTORY_FORMAT) {
      throw this.#error(`no "format":"${HISTORY_FORMAT}" in the first line`, "give a history in lockstorm's format");
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
      throw this.#error(`unknown event ${what}`, "see the history format in ARCHITECTURE.md");
    }
    const parsed = schema.safeParse(json);
    if (!parsed.success) throw this.#error(firstIssue(parsed.error), "correct the line");
    return parsed.data;
  }

  /** Checks the order: indices, time, and that each process does one thing at a time. */
  #follow(event: HistoryEvent): void {
    if (event.index !== this.#nextIndex) {
      throw this.#error(
        `index ${event.index} where ${this.#nextIndex} is due`,
        "restore the missing lines or their order",
      );
    }
    this.#nextIndex += 1;
    if (event.time < this.#lastTime) {
      throw this.#error(
        `time runs backwards, from ${this.#lastTime} to ${event.time}`,
        "restore the order of the lines",
      );
    }
    this.#lastTime = event.time;
    if (event.type === "invoke") this.#begin(event.process, event.f, event.key);
    else if (event.type === "ok" || event.type === "fail" || event.type === "info") {
      this.#finish(event.process, event.f, event.key, event.type);
    }
  }

  #begin(process: number, f: string, key: string): void {
    const open = this.#open.get(process);
    const retired = this.#retired.get(process);
    if (open !== undefined) {
      throw this.#error(
        `process ${process} invokes ${f} while its ${open.f} of line ${open.line} is open`,
        "a process does one thing at a time: give the second a process number of its own",
      );
    }
    if (retired !== undefined) {
      throw this.#error(
        `process ${process} goes on after the indeterminate end in line ${retired}`,
        "after info a client continues under a new process number",
      );
    }
    this.#open.set(process, { f, key, line: this.#line });
  }

  #finish(process: number, f: string, key: string, type: string): void {
    const open = this.#open.get(process);
    if (open === undefined) {
      throw this.#error(
        `process ${process} completes ${f}, but nothing is open`,
        "an operation is completed once, after its invocation",
      );
    }
    if (open.f !== f || open.key !== key) {
      throw this.#error(
        `process ${process} completes ${f} of ${brief(key)}, but ${open.f} of ${brief(open.key)} (line ${open.line}) is open`,
        "complete what was invoked",
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
  for (const line of text.split("\n")) {
    const event = reader.push(line);
    if (event !== undefined) events.push(event);
  }
  return { header: reader.end(), events };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value in an error: of what is long or deep only what it is. */
function brief(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "[...]" : "{...}";
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

function firstIssue(error: {
  readonly issues: readonly { readonly path: PropertyKey[]; readonly message: string }[];
}): string {
  const issue = error.issues[0];
  if (issue === undefined) return "does not fit the format";
  const path = issue.path.map(String).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
