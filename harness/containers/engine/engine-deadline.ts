import type Dockerode from "dockerode";
import { UserError } from "../../core/errors.ts";

/** The transport of dockerode: every request goes through `dial`. */
export type Modem = Pick<Dockerode["modem"], "dial">;

/** Calls that rightly answer late: they last as long as the work, and their callers watch over them. */
const LASTING = [/^\/build\b/, /^\/images\/create\b/, /^\/containers\/[^/]+\/wait\b/];

/** The error for an engine that does not answer. Old engines deadlock when containers of one network end together. */
export function hangingEngine(what: string, ms: number): UserError {
  return new UserError(
    `the container engine hangs: no answer for ${ms / 1000} s to "${what}"`,
    "restart it, for example: sudo systemctl restart docker",
  );
}

/**
 * Makes every call over `modem` fail with the error of a hanging engine when no answer came within `ms`: the beginning
 * of a streaming answer, or the whole of any other. The request is given up, so that it does not keep the process
 * alive.
 */
export function boundEveryCall(modem: Modem, ms: number): void {
  const dial = modem.dial.bind(modem);
  modem.dial = (request, callback) => {
    if (LASTING.some((path) => path.test(request.path))) {
      dial(request, callback);
      return;
    }
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
