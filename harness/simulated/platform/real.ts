import crypto from "node:crypto";
import dns from "node:dns";
import net from "node:net";
import timers from "node:timers";
import tls from "node:tls";

function capture() {
  return {
    Date: globalThis.Date,
    setTimeout: globalThis.setTimeout,
    setImmediate: globalThis.setImmediate,
    clearTimeout: timers.clearTimeout,
    clearImmediate: timers.clearImmediate,
    // As it was, for comparing.
    nextTickAsFound: Reflect.get(process, "nextTick") as unknown,
    nextTick: process.nextTick.bind(process),
    performanceNow: performance.now.bind(performance),
    Socket: net.Socket,
    connect: net.connect,
    tlsConnect: tls.connect,
    lookup: dns.lookup,
    randomFillSync: crypto.randomFillSync,
  };
}

const KEY = Symbol.for("lockstorm.simulated.real");
const holder: typeof globalThis & { [KEY]?: ReturnType<typeof capture> } = globalThis;

/** The platform as it was before it was patched; the same in every copy of this module in a process. */
export const real = (holder[KEY] ??= capture());
