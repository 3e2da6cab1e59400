import type { AsyncLocalStorage } from "node:async_hooks";
import { HarnessError } from "../../core/errors.ts";
import type { Host } from "./host.ts";

/**
 * The code that runs in this process at this instant. The patched platform uses it to decide whose clock, timers and
 * sockets a call means:
 *
 * - `host` set: that host's program is running.
 * - `host` null, `busy`: the simulation itself is running. It takes clock and randomness explicitly, so a patched call
 *   is a mistake, and throws.
 * - `host` null, not `busy`: nothing is being simulated just now; patched functions are the real ones. This is the case
 *   for a test runner, for fast-check, and for code that awaits `Kernel.run`.
 *
 * There is one context per process, however many copies of this module a test runner loads.
 */
export interface CurrentContext {
  host: Host | null;
  busy: boolean;
  /** True from the start to the end of a kernel's `run`, between its turns too. */
  running: boolean;
  /** True once the platform is patched: programs cannot run earlier. */
  patched: boolean;
  /** Present in a run that checks descent: the host that started each piece of code. */
  descent: AsyncLocalStorage<Host> | null;
}

const KEY = Symbol.for("lockstorm.simulated.current");
const holder: typeof globalThis & { [KEY]?: CurrentContext } = globalThis;

export const current: CurrentContext = (holder[KEY] ??= {
  host: null,
  busy: false,
  running: false,
  patched: false,
  descent: null,
});

/** Runs code that belongs to the real world (printing, a user's listener) from within a simulation. */
export function outsideSimulation(run: () => void): void {
  const { host, busy } = current;
  current.host = null;
  current.busy = false;
  try {
    run();
  } finally {
    current.host = host;
    current.busy = busy;
  }
}

/** The simulation's own code called a patched function of the platform, which would make a run irreproducible. */
export class OutsideHostError extends HarnessError {
  override readonly name = "OutsideHostError";

  constructor(called: string) {
    super(
      `${called} was called inside the simulation but outside every host: simulated servers and the simulation itself ` +
        "must take clock, randomness and timers from the kernel",
    );
  }
}

/**
 * The host that a patched call concerns; null when the real function is meant.
 * @throws OutsideHostError when the simulation itself calls
 * @throws CrossedHostsError when descent is checked, and code of another host calls
 */
export function hostCalling(called: string): Host | null {
  const { host, descent } = current;
  if (host === null) {
    if (current.busy) throw new OutsideHostError(called);
    const origin = descent?.getStore();
    if (origin !== undefined) throw new CrossedHostsError(called, "no host", origin.name);
  } else if (descent !== null && descent.getStore() !== host) {
    throw new CrossedHostsError(called, host.name, descent.getStore()?.name);
  }
  return host;
}

/**
 * Code that one host began continues in another host's step, or in none: a promise or a queue is shared with another
 * host, or with the real world (a file read, a worker's answer), which does not know virtual time.
 */
class CrossedHostsError extends HarnessError {
  override readonly name = "CrossedHostsError";

  constructor(called: string, host: string, origin: string | undefined) {
    super(`${called} was called in a step of ${host} by code that ${origin ?? "no host"} began: they share a promise`);
  }
}
