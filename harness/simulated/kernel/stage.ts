import type { AsyncLocalStorage } from "node:async_hooks";
import type { Host } from "./host.ts";

/**
 * Who is on stage at this instant. The patched platform looks here to decide whose clock, timers and sockets a call
 * means:
 *
 * - `host` set: that host's program is running.
 * - `host` null, `busy`: the simulation itself is running. It takes clock and randomness explicitly, so a patched call
 *   is a mistake, and throws.
 * - `host` null, not `busy`: nothing is being simulated just now; patched functions are the real ones. This is the case
 *   for a test runner, for fast-check, and for whoever awaits `Kernel.run`.
 *
 * There is one stage per process, whatever number of copies of this module a test runner loads.
 */
export interface Stage {
  host: Host | null;
  busy: boolean;
  /** True while some kernel's `run` is under way, between its turns too. */
  taken: boolean;
  /** True once the platform is patched: programs cannot run before. */
  patched: boolean;
  /** Present in a run that checks it: the host that each piece of code descends from. */
  descent: AsyncLocalStorage<Host> | null;
}

const KEY = Symbol.for("lockstorm.simulated.stage");
const holder: typeof globalThis & { [KEY]?: Stage } = globalThis;

export const stage: Stage = (holder[KEY] ??= { host: null, busy: false, taken: false, patched: false, descent: null });

/** Runs what belongs to the real world (printing, a listener of the user's) from within a simulation. */
export function offStage(run: () => void): void {
  const { host, busy } = stage;
  stage.host = null;
  stage.busy = false;
  try {
    run();
  } finally {
    stage.host = host;
    stage.busy = busy;
  }
}

/** A function of the platform was reached by the simulation's own code, which would make a run irreproducible. */
export class OutsideHostError extends Error {
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
  const { host, descent } = stage;
  if (host === null) {
    if (stage.busy) throw new OutsideHostError(called);
    const origin = descent?.getStore();
    if (origin !== undefined) throw new CrossedHostsError(called, "no host", origin.name);
  } else if (descent !== null && descent.getStore() !== host) {
    throw new CrossedHostsError(called, host.name, descent.getStore()?.name);
  }
  return host;
}

/**
 * Code that one host began goes on in another one's step, or in none: a promise or a queue is shared with another host,
 * or with the real world (a file that is read, a worker that answers), which knows nothing of virtual time.
 */
class CrossedHostsError extends Error {
  override readonly name = "CrossedHostsError";

  constructor(called: string, host: string, origin: string | undefined) {
    super(`${called} was called in a step of ${host} by code that ${origin ?? "no host"} began: they share a promise`);
  }
}
