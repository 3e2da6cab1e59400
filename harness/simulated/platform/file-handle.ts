import { EventEmitter } from "node:events";
import fs from "node:fs";
import { createInterface } from "node:readline";
import type { Host } from "../kernel/host.ts";
import { completesNow } from "./completion.ts";

type Callable = (...args: never[]) => unknown;
type Bytes = NodeJS.ArrayBufferView;

/**
 * The result of `fs.promises.open` in a host. Its methods do their work at once and complete at the same virtual
 * instant. It has no web streams.
 */
export class SimulatedFileHandle extends EventEmitter implements AsyncDisposable {
  readonly #host: Host;
  #descriptor: number;

  constructor(host: Host, descriptor: number) {
    super();
    this.#host = host;
    this.#descriptor = descriptor;
  }

  /** -1 once it is closed. */
  get fd(): number {
    return this.#descriptor;
  }

  readFile(options?: unknown): Promise<unknown> {
    return this.#does("readFileSync", [options]);
  }

  writeFile(data: unknown, options?: unknown): Promise<unknown> {
    return this.#does("writeFileSync", [data, options]);
  }

  appendFile(data: unknown, options?: unknown): Promise<unknown> {
    return this.#does("writeFileSync", [data, options]);
  }

  async read(first?: unknown, ...others: unknown[]): Promise<{ bytesRead: number; buffer: Bytes }> {
    const { buffer, rest } = readArguments([first, ...others]);
    return { bytesRead: Number(await this.#does("readSync", [buffer, ...rest])), buffer };
  }

  async readv(buffers: readonly Bytes[], position?: number): Promise<{ bytesRead: number; buffers: readonly Bytes[] }> {
    return { bytesRead: Number(await this.#does("readvSync", [buffers, position])), buffers };
  }

  async write(buffer: unknown, ...rest: unknown[]): Promise<{ bytesWritten: number; buffer: unknown }> {
    return { bytesWritten: Number(await this.#does("writeSync", [buffer, ...rest])), buffer };
  }

  async writev(
    buffers: readonly Bytes[],
    position?: number,
  ): Promise<{ bytesWritten: number; buffers: readonly Bytes[] }> {
    return { bytesWritten: Number(await this.#does("writevSync", [buffers, position])), buffers };
  }

  stat(options?: unknown): Promise<unknown> {
    return this.#does("fstatSync", [options]);
  }

  truncate(length?: number): Promise<unknown> {
    return this.#does("ftruncateSync", [length]);
  }

  chmod(mode: unknown): Promise<unknown> {
    return this.#does("fchmodSync", [mode]);
  }

  chown(user: number, group: number): Promise<unknown> {
    return this.#does("fchownSync", [user, group]);
  }

  utimes(accessed: unknown, modified: unknown): Promise<unknown> {
    return this.#does("futimesSync", [accessed, modified]);
  }

  sync(): Promise<unknown> {
    return this.#does("fsyncSync", []);
  }

  datasync(): Promise<unknown> {
    return this.#does("fdatasyncSync", []);
  }

  createReadStream(options: object = {}): fs.ReadStream {
    return fs.createReadStream("", { ...options, fd: this.#descriptor });
  }

  createWriteStream(options: object = {}): fs.WriteStream {
    return fs.createWriteStream("", { ...options, fd: this.#descriptor });
  }

  readLines(options: object = {}): AsyncIterable<string> {
    return createInterface({ input: this.createReadStream(options), crlfDelay: Infinity });
  }

  async close(): Promise<void> {
    if (this.#descriptor === -1) return;
    const closing = this.#does("closeSync", []);
    this.#descriptor = -1;
    await closing;
    this.emit("close");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #does(name: keyof typeof fs, args: readonly unknown[]): Promise<unknown> {
    return completesNow(this.#host, () => Reflect.apply(fs[name] as Callable, fs, [this.#descriptor, ...args]));
  }
}

/** The descriptor behind a handle; undefined for any other value. */
export function descriptorOf(value: unknown): number | undefined {
  return value instanceof SimulatedFileHandle ? value.fd : undefined;
}

/** The forms of a read behind its descriptor: `buffer, offset, length, position`, or options, or nothing. */
export function readArguments([first, ...others]: readonly unknown[]): {
  readonly buffer: Bytes;
  readonly rest: readonly unknown[];
} {
  if (ArrayBuffer.isView(first)) return { buffer: first as Bytes, rest: others };
  const { buffer = Buffer.alloc(16_384), ...options } = (first ?? {}) as { readonly buffer?: Bytes };
  return { buffer, rest: [options] };
}
