import type { Completion, Grant, LockClient } from "../core/lock-driver.ts";
import { UserError } from "../core/errors.ts";

/**
 * Checks what a driver returns: anybody may write a driver, in any language that compiles to JavaScript, and an invalid
 * answer must not get into a history as a valid one. Each function returns what is wrong, in words that the driver's
 * author understands; undefined if nothing is.
 */

/** The longest owner value and name of a place. */
const LONGEST_NAME = 4096;
const LONGEST_REASON = 2000;

/** A problem with the answer to `acquire` or `extend`. */
export function grantProblem(answer: unknown, key: string): string | undefined {
  return completionProblem(answer, (value) => {
    const { owner, fence, place, validForMs, validFromMs } = value as Partial<Record<keyof Grant, unknown>>;
    const granted = (value as Partial<Record<keyof Grant, unknown>>).key;
    if (granted === undefined)
      return "`key` is missing: `value` is the grant, `{ key, owner, validForMs, validFromMs }`";
    if (granted !== key) return "`key` is not the key that was asked for";
    return (
      nameProblem("owner", owner) ??
      (fence === undefined || Number.isSafeInteger(fence) ? undefined : "`fence` is not a whole number below 2^53") ??
      (place === undefined ? undefined : nameProblem("place", place)) ??
      finiteProblem("validForMs", validForMs) ??
      finiteProblem("validFromMs", validFromMs)
    );
  });
}

/** A problem with the answer to `release`. */
export function releaseProblem(answer: unknown): string | undefined {
  return completionProblem(answer, (value) =>
    typeof value["released"] === "boolean" ? undefined : "`released` is neither true nor false",
  );
}

/** A problem with what `onLost` reports. */
export function lostProblem(lost: unknown): string | undefined {
  if (!isRecord(lost)) return "it reported a lost lease without saying which";
  return nameProblem("key", lost["key"]) ?? nameProblem("owner", lost["owner"]);
}

/** A problem with what `onRenewed` reports. */
export function renewedProblem(renewed: unknown): string | undefined {
  if (!isRecord(renewed)) return "it reported a renewed lease without saying which";
  const { validForMs, validFromMs } = renewed;
  if (validForMs === undefined) return "`validForMs` is missing";
  return (
    nameProblem("key", renewed["key"]) ??
    nameProblem("owner", renewed["owner"]) ??
    finiteProblem("validForMs", validForMs) ??
    finiteProblem("validFromMs", validFromMs)
  );
}

/** A problem with what `onQueued` reports. */
export function queuedProblem(queued: unknown): string | undefined {
  if (!isRecord(queued)) return "it reported a place in a queue without saying of which key";
  return nameProblem("key", queued["key"]);
}

/** @throws UserError when `connect` did not return a usable client */
export function refuseNoClient(client: unknown): asserts client is LockClient {
  for (const method of ["acquire", "release"]) {
    if (isRecord(client) && typeof client[method] === "function") continue;
    throw new UserError(`its connect returns no client: there is no ${method}`, "return a LockClient from connect");
  }
}

/** Why an operation did not succeed, as a history keeps it: any value as a short text. */
export function shortReason(reason: unknown): string {
  const text = typeof reason === "string" ? reason : "no reason was given";
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}...` : text;
}

/** The shape of an answer, for an author who has answered with none. A campaign leaves out what is in double quotes. */
const COMPLETION = "{ type: 'ok', value }, or 'fail' with kind and reason, or 'info' with reason";

function completionProblem(
  answer: unknown,
  ofValue: (value: Readonly<Record<string, unknown>>) => string | undefined,
): string | undefined {
  if (!isRecord(answer)) return `it gave ${answer === null ? "null" : typeof answer}: return ${COMPLETION}`;
  const { type, kind, value } = answer as Partial<Record<keyof Completion<never> | "kind" | "value", unknown>>;
  switch (type) {
    case "ok":
      return isRecord(value) ? ofValue(value) : "it is ok, but `value` is missing";
    case "fail":
      return kind === "contended" || kind === "error"
        ? undefined
        : "it failed, but `kind` is neither contended nor error";
    case "info":
      return undefined;
    default:
      return "`type` is none of ok, fail and info";
  }
}

function nameProblem(name: string, value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return `\`${name}\` is ${value === "" ? "empty" : "no text"}`;
  return value.length > LONGEST_NAME ? `\`${name}\` is longer than ${LONGEST_NAME} characters` : undefined;
}

function finiteProblem(name: string, value: unknown): string | undefined {
  return value === undefined || Number.isFinite(value) ? undefined : `\`${name}\` is not a finite number`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
