import { listed } from "../../core/listed.ts";
import { isEndless } from "../../history/holds/endless-lease.ts";
import type { Configuration } from "../linearizability/configuration.ts";
import type { LockOperation } from "../linearizability/lock-models.ts";
import { ownerAsStated, shortOwner } from "../../history/owner-value.ts";
import { timeWords } from "../words.ts";

/** How many holders are named. */
const MOST_NAMED = 3;

/** What its client was told. */
export function resultInWords({ kind, fence, ...operation }: LockOperation, beside: readonly string[]): string {
  const owner = ownerAsStated(operation);
  const as = owner === undefined ? "" : ` as owner ${shortOwner(owner, undefined, beside)}`;
  switch (kind) {
    case "acquire":
      return `was granted it${as}${fence === undefined ? "" : ` with fencing token ${fence}`}`;
    case "release":
    case "lose":
      return `released it${as}`;
    case "miss":
      return `was told that it did not hold it${as}`;
    case "extend":
      return `extended it${as}`;
    case "reenter":
      return `re-entered it${as}`;
    case "contended":
      return "was refused as contended";
  }
}

/** Why no order allows `operation` there. */
export function stateInWords(
  { state, grant, point }: Configuration,
  { completedTime, ...operation }: LockOperation,
  client: (process: number) => string,
): string {
  if (state.holder === undefined) return `since ${timeWords(point.time)} it was free`;
  const who =
    grant === undefined || typeof state.holder !== "string"
      ? "somebody"
      : `${client(grant.process)} as owner ${shortOwner(grant.stated ?? state.holder, undefined, [ownerAsStated(operation) ?? ""])}`;
  if (state.expirableFrom === -Infinity) return "somebody may have held it since before the history began";
  // That lease may be over: the operation is impossible because nobody was granted the key after it.
  if (state.expirableFrom <= completedTime)
    return `the last to hold it was ${who} (since ${timeWords(point.time)} at the earliest)`;
  const held = `${who} held it (since ${timeWords(point.time)} at the earliest)`;
  if (isEndless(state.expirableFrom - point.time)) return `${held}, without a lease that ends`;
  return `${held}, and its lease cannot have expired before ${timeWords(state.expirableFrom)}`;
}

/** The same for a key that several owners may hold. `beside`: the grants beside which there is no room. */
export function sharedStateInWords(
  { state, grant, point }: Configuration,
  beside: readonly LockOperation[] | undefined,
  client: (process: number) => string,
): string {
  if (beside !== undefined) {
    const named = beside.slice(0, MOST_NAMED).map(({ process }) => client(process));
    const holders = beside.length > MOST_NAMED ? [...named, `${beside.length - MOST_NAMED} more`] : named;
    const until = isEndless(state.expirableFrom - point.time)
      ? `without ${beside.length === 1 ? "a lease that ends" : "leases that end"}`
      : `whose ${beside.length === 1 ? "lease" : "leases"} cannot have expired before ${timeWords(state.expirableFrom)}`;
    return `there was no room beside ${listed(holders)}, ${until}`;
  }
  if (state.holder === undefined) return `since ${timeWords(point.time)} this owner held nothing`;
  const who = grant === undefined ? "this owner" : `${client(grant.process)} as this owner`;
  if (state.expirableFrom === -Infinity) return `${who} may have held it since before the history began`;
  const held = `${who} held it (since ${timeWords(point.time)} at the earliest)`;
  if (isEndless(state.expirableFrom - point.time)) return `${held}, without a lease that ends`;
  return `${held}, and its lease cannot have expired before ${timeWords(state.expirableFrom)}`;
}

/** `between 2 ms and 5 ms`, or `at 2 ms` where both are the same in words. */
export function duringInWords({
  invokedTime,
  completedTime,
}: Pick<LockOperation, "invokedTime" | "completedTime">): string {
  const [from, to] = [timeWords(invokedTime), timeWords(completedTime)];
  return from === to ? `at ${from}` : `between ${from} and ${to}`;
}
