import { EventEmitter } from "node:events";
import { current } from "../kernel/current-context.ts";
import type { Host, UncaughtEvent } from "../kernel/host.ts";
import { patch, replace } from "./replace.ts";

const METHODS = [
  "on",
  "addListener",
  "once",
  "prependListener",
  "prependOnceListener",
  "off",
  "removeListener",
  "removeAllListeners",
  "emit",
  "listeners",
  "rawListeners",
  "listenerCount",
  "eventNames",
  "setMaxListeners",
  "getMaxListeners",
] as const;

/**
 * Node emits these by `process.emit` in the middle of a host's step: uncaught errors, for which the simulation listens, and the end
 * of this thread, where nothing is left to do before that step is over.
 */
function isEmittedByNode(event: unknown): boolean {
  if (event === "uncaughtException" || event === "unhandledRejection") return true;
  return event === "exit" && (process as { readonly _exiting?: boolean })._exiting === true;
}

/** The listeners of one life of a host. */
interface Listeners {
  readonly life: number;
  readonly emitter: EventEmitter;
  /** Set by `process.setUncaughtExceptionCaptureCallback`. */
  capture: ((error: unknown) => void) | null;
}

const listenersOf = new WeakMap<Host, Listeners>();

/**
 * Patches `process` as an emitter of events. What a host's program listens for is its own process's: libraries clean up
 * on `exit` or SIGTERM, and a listener on this process would keep every run's modules, and act when no simulation runs.
 * A program that listens for uncaught errors survives them, as in Node. Nothing else happens by itself: a host dies as by
 * SIGKILL, which nobody hears.
 */
export function patchProcessEvents(): void {
  for (const name of METHODS) {
    const original = process[name] as (...args: unknown[]) => unknown;
    replace(process, name, function (this: unknown, ...args: unknown[]): unknown {
      const { host } = current;
      if (host === null || (name === "emit" && isEmittedByNode(args[0]))) return Reflect.apply(original, this, args);
      if (name === "emit" && args[0] === "warning") print(host, args[1]);
      const { emitter } = ownOf(host);
      const result: unknown = Reflect.apply(emitter[name] as (...args: unknown[]) => unknown, emitter, args);
      return result === emitter ? process : result;
    });
  }
  const name = "setUncaughtExceptionCaptureCallback";
  patch(process, name, `process.${name}`, (host, [capture]) => {
    ownOf(host).capture = capture as Listeners["capture"];
  });
  patch(
    process,
    "hasUncaughtExceptionCaptureCallback",
    "process.hasUncaughtExceptionCaptureCallback",
    (host) => ownOf(host).capture !== null,
  );
}

/** Node gives them once in a process: whose they are depends on what ran there before, which a run must not show. */
const ONCE_IN_A_PROCESS: ReadonlySet<string> = new Set(["DeprecationWarning", "ExperimentalWarning"]);

/** Node would write a warning of a host's program, which is that program's output. */
function print(host: Host, warning: unknown): void {
  if (!(warning instanceof Error) || ONCE_IN_A_PROCESS.has(warning.name)) return;
  host.print(`(node) ${warning.name}: ${warning.message}`);
}

function ownOf(host: Host): Listeners {
  const known = listenersOf.get(host);
  if (known?.life === host.life) return known;
  const own: Listeners = { life: host.life, emitter: new EventEmitter(), capture: null };
  listenersOf.set(host, own);
  host.onUncaught = (event, error, promise) => tell(own, event, error, promise);
  return own;
}

/** A rejection that no listener waits for counts as an exception: Node's `--unhandled-rejections=throw`, the default. */
function tell({ emitter, capture }: Listeners, event: UncaughtEvent, error: unknown, promise: unknown): boolean {
  if (event === "unhandledRejection" && emitter.emit(event, error, promise)) return true;
  if (capture === null) return emitter.emit("uncaughtException", error, event);
  capture(error);
  return true;
}
