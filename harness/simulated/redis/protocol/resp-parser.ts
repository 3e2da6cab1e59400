import { parseInteger } from "../numbers/integers.ts";
import { splitArguments } from "./split-arguments.ts";

/** The longest accepted line without an end. */
const MAX_INLINE = 64 * 1024;
const MAX_ARGUMENTS = 2147483647;
const MAX_BULK = 512 * 1024 * 1024;

/** What the parser found: a command (possibly empty), a broken protocol, or undefined while more bytes are needed. */
export type Request = readonly string[] | { readonly protocolError: string } | undefined;

/**
 * Takes a connection's bytes in any portions and returns its requests, multibulk or inline. After a protocol error the
 * connection must be closed. Bytes are kept as binary strings.
 */
export class RequestParser {
  #buffer = "";
  #position = 0;
  #pending: string[] | undefined;
  #remaining = 0;
  #bulkLength = -1;

  push(bytes: string): void {
    this.#buffer = this.#position === 0 ? this.#buffer + bytes : this.#buffer.slice(this.#position) + bytes;
    this.#position = 0;
  }

  /** Number of bytes that were received but not yet used. */
  get buffered(): number {
    return this.#buffer.length - this.#position;
  }

  /** The next request. `authenticated` is false while a password is due: then only short requests are accepted. */
  next(authenticated: boolean): Request {
    if (this.#pending === undefined) {
      if (this.#position >= this.#buffer.length) {
        this.#buffer = "";
        this.#position = 0;
        return undefined;
      }
      if (this.#buffer[this.#position] !== "*") return this.#inline();
      const count = this.#count(authenticated);
      if (typeof count !== "number") return count;
      if (count <= 0) return [];
      this.#pending = [];
      this.#remaining = count;
    }
    return this.#bulks(this.#pending, authenticated);
  }

  #inline(): Request {
    const end = this.#buffer.indexOf("\n", this.#position);
    if (end < 0) {
      return this.buffered > MAX_INLINE ? { protocolError: "too big inline request" } : undefined;
    }
    const stop = end > this.#position && this.#buffer[end - 1] === "\r" ? end - 1 : end;
    const argv = splitArguments(this.#buffer.slice(this.#position, stop));
    if (argv === undefined) return { protocolError: "unbalanced quotes in request" };
    this.#position = end + 1;
    return argv;
  }

  #count(authenticated: boolean): number | Request {
    const line = this.#line();
    if (line === undefined) {
      return this.buffered > MAX_INLINE ? { protocolError: "too big mbulk count string" } : undefined;
    }
    const count = parseInteger(line.slice(1));
    if (count === undefined || count > MAX_ARGUMENTS) return { protocolError: "invalid multibulk length" };
    if (count > 10 && !authenticated) return { protocolError: "unauthenticated multibulk length" };
    return Number(count);
  }

  /** The line at the position without its end, if it is complete; the position moves behind it. */
  #line(): string | undefined {
    const end = this.#buffer.indexOf("\r", this.#position);
    if (end < 0 || end + 2 > this.#buffer.length) return undefined;
    const line = this.#buffer.slice(this.#position, end);
    this.#position = end + 2;
    return line;
  }

  #bulks(argv: string[], authenticated: boolean): Request {
    while (this.#remaining > 0) {
      if (this.#bulkLength < 0) {
        const error = this.#bulkHeader(authenticated);
        if (error !== "ready") return error;
      }
      const end = this.#position + this.#bulkLength;
      if (this.#buffer.length < end + 2) return undefined;
      argv.push(this.#buffer.slice(this.#position, end));
      this.#position = end + 2;
      this.#bulkLength = -1;
      this.#remaining -= 1;
    }
    this.#pending = undefined;
    return argv;
  }

  #bulkHeader(authenticated: boolean): Request | "ready" {
    const start = this.#position;
    const line = this.#line();
    if (line === undefined) {
      return this.buffered > MAX_INLINE ? { protocolError: "too big bulk count string" } : undefined;
    }
    if (line[0] !== "$") return { protocolError: `expected '$', got '${this.#buffer[start] ?? ""}'` };
    const length = parseInteger(line.slice(1));
    if (length === undefined || length < 0 || length > MAX_BULK) return { protocolError: "invalid bulk length" };
    if (length > 16384 && !authenticated) return { protocolError: "unauthenticated bulk length" };
    this.#bulkLength = Number(length);
    return "ready";
  }
}
