import fs from "node:fs";
import { inCallersContext } from "./async-context.ts";
import { callsBackNow, completesNow } from "./completion.ts";
import { descriptorOf, readArguments, SimulatedFileHandle } from "./file-handle.ts";
import { forbid, patch } from "./replace.ts";

type Callable = (...args: never[]) => unknown;

/** Functions that are patched separately, or that report later changes of a file. */
const SPECIAL: ReadonlySet<string> = new Set(["open", "exists", "read", "write", "readv", "writev", "opendir", "glob"]);
const UNSUPPORTED = ["watch", "watchFile", "opendir", "glob"] as const;

/**
 * Patches the asynchronous functions of `node:fs` and `node:fs/promises`. Virtual time does not wait for a disk, so in
 * a host a call does its work at once, by the function's synchronous form, and completes at the same virtual instant,
 * in a separate event. File streams use these functions too. Functions that watch files throw.
 */
export function patchFiles(): void {
  for (const name of Object.keys(fs)) {
    const work = synchronousForm(name);
    if (work === undefined || typeof Reflect.get(fs, name) !== "function") continue;
    patch(fs, name, `fs.${name}`, (host, args) =>
      callsBackNow(host, args, (given) => [Reflect.apply(work, fs, withDescriptors(given))]),
    );
  }
  for (const name of Object.keys(fs.promises)) {
    const work = synchronousForm(name);
    if (work === undefined) continue;
    patch(fs.promises, name, `fs.promises.${name}`, (host, args) =>
      completesNow(host, () => Reflect.apply(work, fs, withDescriptors(args))),
    );
  }
  patch(fs, "exists", "fs.exists", (host, [path, callback]) => {
    const found = fs.existsSync(path as fs.PathLike);
    host.post(
      "completion",
      inCallersContext(() => void Reflect.apply(callback as Callable, undefined, [found])),
    );
  });
  patchOpen();
  patchTransfers();
  for (const name of UNSUPPORTED) {
    for (const [home, called] of [
      [fs, "fs"],
      [fs.promises, "fs.promises"],
    ] as const) {
      if (Reflect.has(home, name)) forbid(home, name, `${called}.${name}`);
    }
  }
}

function patchOpen(): void {
  const open = (args: readonly unknown[]): number => Reflect.apply(fs.openSync as Callable, fs, [...args]) as number;
  patch(fs, "open", "fs.open", (host, args) => callsBackNow(host, args, (given) => [open(given)]));
  patch(fs.promises, "open", "fs.promises.open", (host, args) =>
    completesNow(host, () => new SimulatedFileHandle(host, open(args))),
  );
}

/** Patches the functions that move bytes by a descriptor: their callback gets the buffer as well. */
function patchTransfers(): void {
  patch(fs, "read", "fs.read", (host, args) =>
    callsBackNow(host, args, ([descriptor, ...how]) => {
      const { buffer, rest } = readArguments(how);
      return [Reflect.apply(fs.readSync as Callable, fs, [descriptor, buffer, ...rest]), buffer];
    }),
  );
  for (const name of ["write", "readv", "writev"] as const) {
    patch(fs, name, `fs.${name}`, (host, args) =>
      callsBackNow(host, args, (given) => [Reflect.apply(fs[`${name}Sync`] as Callable, fs, given), given[1]]),
    );
  }
}

function synchronousForm(name: string): Callable | undefined {
  const form: unknown = Reflect.get(fs, `${name}Sync`);
  return typeof form === "function" && !SPECIAL.has(name) ? (form as Callable) : undefined;
}

/** A handle stands for its descriptor. */
function withDescriptors(args: readonly unknown[]): unknown[] {
  return args.map((arg) => descriptorOf(arg) ?? arg);
}
