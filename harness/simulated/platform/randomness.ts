import crypto from "node:crypto";
import type { Host } from "../kernel/host.ts";
import { inCallersContext } from "./async-context.ts";
import { patch } from "./replace.ts";

type Callback = (error: Error | null, value: unknown) => void;
const LARGEST_RANDOM_INTEGER_RANGE = 2 ** 48 - 1;

/**
 * Patches `Math.random` and the randomness of `node:crypto` and the global `crypto`: each host draws from its own
 * streams, `random` for `Math.random` and `crypto` for the rest.
 */
export function patchRandomness(): void {
  patch(Math, "random", "Math.random", (host) => unitInterval(host));
  for (const name of ["randomBytes", "pseudoRandomBytes", "prng", "rng"]) {
    if (!Reflect.has(crypto, name)) continue;
    patch(crypto, name, `crypto.${name}`, (host, [size, callback]) =>
      answer(host, callback, bytes(host, Number(size))),
    );
  }
  patch(crypto, "randomFillSync", "crypto.randomFillSync", (host, [buffer, offset, size]) =>
    fill(host, buffer, offset, size),
  );
  patch(crypto, "randomFill", "crypto.randomFill", (host, args) => {
    const [buffer, offset, size] = args.filter((arg) => typeof arg !== "function");
    const filled = fill(host, buffer, offset, size);
    return answer(host, args.at(-1), filled);
  });
  patch(crypto, "randomUUID", "crypto.randomUUID", (host) => uuid(host));
  if (Reflect.has(crypto, "randomUUIDv7")) patch(crypto, "randomUUIDv7", "crypto.randomUUIDv7", uuidOfNow);
  patch(crypto, "randomInt", "crypto.randomInt", (host, args) => {
    const [first, second] = args.filter((arg) => typeof arg === "number");
    return answer(host, args.at(-1), integer(host, second === undefined ? 0 : first, second ?? first));
  });
  // `getRandomValues` of node:crypto is a getter that leads here.
  patch(globalThis.crypto, "getRandomValues", "crypto.getRandomValues", (host, [array]) => fill(host, array));
  patch(globalThis.crypto, "randomUUID", "crypto.randomUUID", (host) => uuid(host));
}

/** Passes `value` to the callback in a separate event, or returns it when there is no callback. */
function answer(host: Host, callback: unknown, value: unknown): unknown {
  if (typeof callback !== "function") return value;
  host.post(
    "random bytes",
    inCallersContext(() => (callback as Callback)(null, value)),
  );
  return undefined;
}

function unitInterval(host: Host): number {
  const random = host.random("random");
  return (random.integer(0, 2 ** 26 - 1) * 2 ** 27 + random.integer(0, 2 ** 27 - 1)) / 2 ** 53;
}

function bytes(host: Host, size: number): Buffer {
  return Buffer.from(host.random("crypto").bytes(size));
}

function fill(host: Host, target: unknown, offset: unknown = 0, size?: unknown): unknown {
  const view = bytesOf(target);
  const start = Number(offset) * elementSize(target);
  const end = size === undefined ? view.length : start + Number(size) * elementSize(target);
  view.set(bytes(host, end - start), start);
  return target;
}

/** @throws TypeError when `target` is not a buffer */
function bytesOf(target: unknown): Uint8Array {
  if (ArrayBuffer.isView(target)) return new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
  if (target instanceof ArrayBuffer || target instanceof SharedArrayBuffer) return new Uint8Array(target);
  throw new TypeError("random bytes can only be filled into an ArrayBuffer or a view of one");
}

function elementSize(target: unknown): number {
  return ArrayBuffer.isView(target) && "BYTES_PER_ELEMENT" in target ? Number(target.BYTES_PER_ELEMENT) : 1;
}

function integer(host: Host, min = 0, max = 0): number {
  if (!(max > min && max - min <= LARGEST_RANDOM_INTEGER_RANGE)) {
    throw new RangeError(`crypto.randomInt: ${min} and ${max} are no range`);
  }
  return host.random("crypto").integer(min, max - 1);
}

/** A version 4 UUID (RFC 9562). */
function uuid(host: Host): string {
  return written(bytes(host, 16), 4);
}

/** A version 7 UUID: it begins with the milliseconds of the host's wall clock. */
function uuidOfNow(host: Host): string {
  const raw = bytes(host, 16);
  raw.writeUIntBE(host.clock.wallMs(), 0, 6);
  return written(raw, 7);
}

function written(raw: Buffer, version: number): string {
  raw[6] = ((raw[6] ?? 0) & 0x0f) | (version << 4);
  raw[8] = ((raw[8] ?? 0) & 0x3f) | 0x80;
  const hex = raw.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
