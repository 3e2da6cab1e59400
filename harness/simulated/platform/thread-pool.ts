import childProcess from "node:child_process";
import crypto from "node:crypto";
import workerThreads from "node:worker_threads";
import zlib from "node:zlib";
import { callsBackNow, completesNow } from "./completion.ts";
import { forbid, forbidClass, patch } from "./replace.ts";

type Callable = (...args: never[]) => unknown;

/** Functions of `node:crypto` that compute in another thread when they get a callback, each with a synchronous form. */
const CRYPTO = ["pbkdf2", "scrypt", "hkdf", "generateKey", "generateKeyPair", "generatePrime", "checkPrime"] as const;
const CRYPTO_WITH_OPTIONAL_CALLBACK = ["sign", "verify"] as const;
const SUBTLE = ["sign", "verify", "encrypt", "decrypt", "deriveBits", "deriveKey", "generateKey"] as const;

/**
 * Patches the functions that Node computes in its own threads: in a host they compute at once, and complete at the same
 * virtual instant. Functions without a synchronous form throw, and so do those that start threads and processes, whose
 * time is real.
 */
export function patchThreadPool(): void {
  for (const name of CRYPTO) {
    const work = Reflect.get(crypto, `${name}Sync`) as Callable;
    patch(crypto, name, `crypto.${name}`, (host, args) =>
      callsBackNow(host, args, (given) => {
        const result: unknown = Reflect.apply(work, crypto, given);
        return name === "generateKeyPair" ? Object.values(result as object) : [result];
      }),
    );
  }
  for (const name of CRYPTO_WITH_OPTIONAL_CALLBACK) {
    const work = crypto[name] as Callable;
    patch(crypto, name, `crypto.${name}`, (host, args) =>
      typeof args.at(-1) === "function"
        ? callsBackNow(host, args, (given) => [Reflect.apply(work, crypto, given)])
        : Reflect.apply(work, crypto, [...args]),
    );
  }
  patchSubtle();
  patchCompression();
  for (const name of ["spawn", "exec", "execFile", "fork"]) forbid(childProcess, name, `child_process.${name}`);
  // They wait for another thread, in real time: virtual time would stand still.
  for (const name of ["wait", "waitAsync"]) forbid(Atomics, name, `Atomics.${name}`);
  forbidClass(workerThreads, "Worker", "new Worker()");
}

/** Libraries use `digest` to name their scripts. */
function patchSubtle(): void {
  const { subtle } = crypto.webcrypto;
  const home: unknown = Object.getPrototypeOf(subtle);
  if (typeof home !== "object" || home === null) return;
  patch(home, "digest", "crypto.subtle.digest", (host, [algorithm, data]) =>
    completesNow(host, () => {
      const named = typeof algorithm === "string" ? algorithm : (algorithm as { readonly name: string }).name;
      const digest = crypto.createHash(named.replace("-", "")).update(bytesOf(data)).digest();
      return digest.buffer.slice(digest.byteOffset, digest.byteOffset + digest.byteLength);
    }),
  );
  for (const name of SUBTLE) forbid(home, name, `crypto.subtle.${name}`);
}

function bytesOf(data: unknown): Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data as ArrayBuffer);
}

/** The functions that take a whole buffer. Streams of `node:zlib` complete at real times, so they throw. */
function patchCompression(): void {
  for (const name of Object.keys(zlib)) {
    const work: unknown = Reflect.get(zlib, `${name}Sync`);
    if (typeof work !== "function") continue;
    patch(zlib, name, `zlib.${name}`, (host, args) =>
      callsBackNow(host, args, (given) => [Reflect.apply(work as Callable, zlib, given)]),
    );
  }
  for (const name of Object.keys(zlib).filter((name) => name.startsWith("create"))) forbid(zlib, name, `zlib.${name}`);
}
