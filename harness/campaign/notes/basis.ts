import { lockFacts } from "../../client/lock-facts.ts";
import type { Property } from "../../core/verdict.ts";
import type { Basis } from "./run-notes.ts";

/** Who says what decides about a lock. */
export function basisOf(lock: string, asked: readonly Property[] | undefined): Basis {
  if (asked !== undefined) return "asked";
  return lockFacts(lock)?.claims === undefined ? "promisable" : "claims";
}
