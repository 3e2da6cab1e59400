import type Dockerode from "dockerode";
import { UserError } from "../../core/errors.ts";

/** The transport of dockerode: every request goes through `dial`. */
export type Modem = Pick<Dockerode["modem"], "dial">;

/** Calls that rightly answer late: they last as long as the work, and their callers watch over them. */
const LASTING = [/^\/build\b/, /^\/images\/create\b/, /^\/containers\/[^/]+\/wait\b/];

/** Calls that delete what can be gigabytes: a busy disk takes its time for that. */
const DELETING = /^\/images\/prune\b/;
const DELETION_FACTOR = 15;

/** The error for an engine that does not answer. Old engines deadlock when containers of one network end together. */
export function hangingEngine(what: string, ms: number): UserError {
  return new UserError(
    `the container engine hangs: no answer for ${ms / 1000} s to "${what}"`,
    "restart it, for example: sudo systemctl restart docker",
  );
}

/**
 * Makes every call over `modem` fail with the error of a hanging engine when no answer came within `callMs`: the
 * beginning of a streaming answer, or the whole of any other. A deletion of images has `DELETION_FACTOR` times as long.
 * The request is given up, so that it does not keep the process alive.
 */
export function boundEveryCall(modem: Modem, callMs: number): void {
  const dial = modem.dial.bind(modem);
  modem.dial = (request, callback) => {
    if (LASTING.some((path) => path.test(request.path))) {
      dial(request, callback);
      return;
    }
    const ms = DELETING.test(request.path) ? DELETION_FACTOR * callMs : callMs;
    const givenUp = new AbortController();
    const signals = request.abortSignal === undefined ? [givenUp.signal] : [givenUp.signal, request.abortSignal];
    let over = false;
    const timer = setTimeout(() => {
      over = true;
      givenUp.abort();
      callback?.(hangingEngine(`${request.method ?? "GET"} ${request.path.replace(/\?.*$/, "")}`, ms), null);
    }, ms);
    dial({ ...request, abortSignal: AbortSignal.any(signals) }, (error, result) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      callback?.(error, result);
    });
  };
}
