import fs from "node:fs";
import perfHooks from "node:perf_hooks";
import workerThreads from "node:worker_threads";
import { current, hostCalling } from "../kernel/current-context.ts";
import type { Host } from "../kernel/host.ts";
import { completesNow } from "./completion.ts";
import { forbid, forbidClass, patch, replace } from "./replace.ts";

/**
 * Patches what Node completes by itself, at a real time: what a program did then would happen after its run, in the real
 * world. Compiling WebAssembly and reading a Blob complete at the same virtual instant, and locks of `navigator` are held by
 * one process. Observers of performance hear nothing, and channels to other threads throw.
 */
export function patchWebPlatform(): void {
  patchWebAssembly();
  patchBlob();
  patchLocks();
  patchObserver();
  forbidClass(globalThis, "BroadcastChannel", "new BroadcastChannel()");
  replace(workerThreads, "BroadcastChannel", globalThis.BroadcastChannel);
}

/** What the types of Node leave out. */
interface WasmNamespace {
  readonly Module: new (bytes: unknown) => object;
  readonly Instance: new (module: object, imports: unknown) => object;
}

/** Node compiles in another thread. Undefined where Node was started without WebAssembly. */
function patchWebAssembly(): void {
  const wasm = Reflect.get(globalThis, "WebAssembly") as WasmNamespace | undefined;
  if (wasm === undefined) return;
  patch(wasm, "compile", "WebAssembly.compile", (host, [bytes]) => completesNow(host, () => new wasm.Module(bytes)));
  patch(wasm, "instantiate", "WebAssembly.instantiate", (host, [source, imports]) =>
    completesNow(host, () => {
      if (source instanceof wasm.Module) return new wasm.Instance(source, imports);
      const module = new wasm.Module(source);
      return { module, instance: new wasm.Instance(module, imports) };
    }),
  );
  for (const name of ["compileStreaming", "instantiateStreaming"]) {
    if (Reflect.has(wasm, name)) forbid(wasm, name, `WebAssembly.${name}`);
  }
}

function patchBlob(): void {
  forbid(fs, "openAsBlob", "fs.openAsBlob");
  const stream = Reflect.get(Blob.prototype, "stream") as () => ReadableStream;
  replace(Blob.prototype, "stream", function (this: Blob) {
    if (hostCalling("Blob.stream") === null) return Reflect.apply(stream, this, []);
    const start = async (controller: ReadableByteStreamController): Promise<void> => {
      const bytes = new Uint8Array(await this.arrayBuffer());
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    };
    return new ReadableStream({ type: "bytes", start });
  });
}

/** A lock as the callback of a request sees it. */
interface NamedLock {
  readonly name: string;
}

interface LockManager {
  request(name: string, ...rest: unknown[]): Promise<unknown>;
  query(): Promise<{ readonly held?: readonly NamedLock[]; readonly pending?: readonly NamedLock[] }>;
}

/** Node's locks belong to a process: a host's begin with a name of its life. Undefined before Node 24. */
function patchLocks(): void {
  const { locks } = navigator as { readonly locks?: LockManager };
  const home = locks === undefined ? undefined : (Object.getPrototypeOf(locks) as LockManager);
  if (home === undefined || locks === undefined) return;
  const request = home.request.bind(locks);
  const query = home.query.bind(locks);
  patch(home, "request", "navigator.locks.request", (host, [name, ...rest]) => {
    const prefix = prefixOf(host);
    const callback = rest.pop();
    if (typeof callback !== "function") return request(name as string, ...rest, callback);
    const granted = (lock: NamedLock | null): unknown => Reflect.apply(callback, undefined, [renamed(lock, prefix)]);
    return request(prefix + String(name), ...rest, granted);
  });
  patch(home, "query", "navigator.locks.query", async (host) => {
    const prefix = prefixOf(host);
    const { held = [], pending = [] } = await query();
    const own = (all: readonly NamedLock[]): readonly (NamedLock | null)[] =>
      all.filter(({ name }) => name.startsWith(prefix)).map((lock) => renamed(lock, prefix));
    return { held: own(held), pending: own(pending) };
  });
}

function renamed(lock: NamedLock | null, prefix: string): NamedLock | null {
  return lock === null ? null : Object.create(lock, { name: { value: lock.name.slice(prefix.length) } });
}

const prefixes = new WeakMap<Host, { readonly life: number; readonly prefix: string }>();
let madePrefixes = 0;

function prefixOf(host: Host): string {
  const known = prefixes.get(host);
  if (known?.life === host.life) return known.prefix;
  const prefix = `${(madePrefixes += 1)}/`;
  prefixes.set(host, { life: host.life, prefix });
  return prefix;
}

/** Node tells observers in the real time between two runs. A program that only observes itself goes on without. */
function patchObserver(): void {
  const patched = new Proxy(perfHooks.PerformanceObserver, {
    construct(target, [callback, ...rest], newTarget: NewableFunction): object {
      const host = hostCalling("new PerformanceObserver()");
      const heard =
        host === null || typeof callback !== "function"
          ? callback
          : (...args: unknown[]) => {
              if (current.host === host) Reflect.apply(callback, undefined, args);
            };
      return Reflect.construct(target, [heard, ...rest], newTarget) as object;
    },
  });
  replace(globalThis, "PerformanceObserver", patched);
  replace(perfHooks, "PerformanceObserver", patched);
}
