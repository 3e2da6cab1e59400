import fs from "node:fs";
import { format } from "node:util";
import { outsideSimulation, current } from "../kernel/current-context.ts";
import type { Host } from "../kernel/host.ts";
import { replace } from "./replace.ts";

type Callable = (...args: never[]) => unknown;

/**
 * Patches the console, the streams of the process and their descriptors: output of a host's program goes into that
 * host's `output` and the trace, not to the terminal, because a real console may use real timers (a test runner's does),
 * because thousands of runs would flood the terminal, and because standard output is for results.
 */
export function patchConsole(): void {
  for (const name of ["log", "info", "debug", "warn", "error", "trace"] as const) {
    const original = console[name].bind(console);
    replace(console, name, function (...args: unknown[]) {
      const { host } = current;
      if (host === null) outsideSimulation(() => original(...args));
      else host.print(format(...args));
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    const original = Reflect.get(stream, "write") as Callable;
    replace(stream, "write", function (this: unknown, ...args: unknown[]): unknown {
      const { host } = current;
      if (host === null) return Reflect.apply(original, this, args);
      print(host, bytesOf(args[0]));
      const done = args.find((argument) => typeof argument === "function");
      if (done !== undefined) process.nextTick(done);
      return true;
    });
  }
  patchDescriptors();
}

/** Loggers write to descriptor 1 (pino does). What `fs.write` does in a host goes through here too. */
function patchDescriptors(): void {
  const original = fs.writeSync as Callable;
  replace(fs, "writeSync", function (this: unknown, ...args: unknown[]): unknown {
    const { host } = current;
    const [descriptor, data, offset, length] = args;
    if (host === null || (descriptor !== 1 && descriptor !== 2)) return Reflect.apply(original, this, args);
    const bytes = bytesOf(data);
    if (typeof data === "string") return print(host, bytes);
    const start = typeof offset === "number" ? offset : 0;
    return print(host, bytes.subarray(start, typeof length === "number" ? start + length : undefined));
  });
}

/** Answers how many bytes these are. */
function print(host: Host, bytes: Buffer): number {
  host.print(bytes.toString().replace(/\n$/, ""));
  return bytes.length;
}

function bytesOf(data: unknown): Buffer {
  if (!ArrayBuffer.isView(data)) return Buffer.from(String(data));
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
