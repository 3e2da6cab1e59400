import type { KeyState, WireRecord } from "../../harness/core/messages/wire-record.ts";
import { stopsNodes } from "../../harness/core/fault-traits.ts";
import { fits } from "../../harness/core/sharing.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import { touches, type Interval } from "../../harness/history/interval.ts";
import type { Timeline } from "./timeline.ts";

/** A stretch in which a server thought that a client held a key. */
export interface ServerBand extends Interval {
  readonly server: string;
  readonly key: string;
  readonly client: number;
  /** The client by name, or its task. */
  readonly actor: string;
  /** When the key would have expired by itself; absent where it never would. */
  readonly expires?: number;
  /** How far the server's clock was ahead when it began, in nanoseconds. */
  readonly clockAheadNs: number;
  /**
   * It gave the key to this client while leases of others were in force that leave it no room (see `fits`), to which it had
   * given it before, and for longer than until now.
   */
  readonly twice: boolean;
}

/**
 * What servers thought: a server thinks that a client holds from the moment on at which it has that client's owner value,
 * until the value is replaced, removed or expired, or the server is down. A driver may make up owner values of its own,
 * which no server has: then it is a value with an expiry that was set under the acquire that was granted. Other values,
 * such as the queue beside a lock whose value names its owner, tell nothing.
 */
export function serverBands(
  wire: WireRecord,
  { holds, faults, end }: Pick<Timeline, "holds" | "faults" | "end">,
): readonly ServerBand[] {
  const down = (server: string, from: number, to: number): number =>
    Math.min(
      to,
      ...faults
        .filter((fault) => stopsNodes(fault.traits) && fault.traits.kills !== undefined && fault.lanes.includes(server))
        .map((fault) => fault.from)
        .filter((time) => time >= from),
    );
  const unseen = holds.filter(({ owner }) => !wire.keys.some(({ value }) => hasOwner(value, owner)));
  const bands: ServerBand[] = [];
  for (const states of Map.groupBy(wire.keys, ({ server, key }) => JSON.stringify([server, key])).values()) {
    const before: { readonly hold: HoldSpan; readonly until: number }[] = [];
    let unnamed: { readonly value: string; readonly hold: HoldSpan } | undefined;
    states.forEach((state, index) => {
      const former = states[index - 1]?.value;
      const named = holdOf(state, holds, former);
      if (state.value === undefined || named !== undefined) unnamed = undefined;
      else {
        const grantedHold =
          grantedWith(state, wire, unseen) ?? (unnamed?.value === state.value ? unnamed.hold : undefined);
        unnamed = grantedHold && { value: state.value, hold: grantedHold };
      }
      const hold = named ?? unnamed?.hold;
      if (hold === undefined) return;
      const { server, key, atNs, expiresInNs, clockAheadNs } = state;
      const expires = expiresInNs === undefined ? undefined : atNs + Math.max(0, expiresInNs);
      const to = down(server, atNs, Math.min(states[index + 1]?.atNs ?? Math.max(end, atNs), expires ?? Infinity));
      const isShared = hold.share.kind !== "exclusive";
      // A holder that outlives its lease is no concern of the server, nor is a lease that was prolonged without it: its
      // vote was over.
      const inForce = before.filter(
        (other) =>
          other.hold.owner !== hold.owner &&
          atNs < other.until &&
          // A permit is taken at the server before its client is told.
          other.hold.lease.some((part) => (part.from <= atNs || isShared) && atNs < part.to),
      );
      const others = new Set(inForce.map((other) => other.hold));
      const shares = [...others].map(({ share }) => share);
      // What a key that several may hold still has was not given now.
      const isGiven = !isShared || !hasOwner(former, hold.owner);
      const twice = isGiven && !fits(hold.share, shares);
      before.push({ hold, until: expires ?? Infinity });
      if (to <= atNs) return;
      const last = bands.at(-1);
      const goesOn = last?.server === server && last.key === key && last.actor === hold.actor && last.to === atNs;
      const band = {
        server,
        key,
        client: hold.client,
        actor: hold.actor,
        from: atNs,
        clockAheadNs,
        twice,
        ...(goesOn ? bands.pop() : {}),
        to,
      };
      bands.push(expires === undefined ? band : { ...band, expires });
    });
  }
  return bands;
}

/** Without the second grants of replicas: what a replica has, its master granted before. */
export function withoutCopies(bands: readonly ServerBand[]): readonly ServerBand[] {
  const isCopy = (band: ServerBand): boolean =>
    bands.some(
      ({ key, actor, from, ...other }) =>
        key === band.key && actor === band.actor && from < band.from && touches({ from, to: other.to }, band),
    );
  return bands.map((band) => (band.twice && isCopy(band) ? { ...band, twice: false } : band));
}

/** The hold whose acquire set this value, which expires: a counter or a queue beside the lock does not. */
function grantedWith(
  { server, key, atNs, expiresInNs }: KeyState,
  { messages }: WireRecord,
  holds: readonly HoldSpan[],
): HoldSpan | undefined {
  if (expiresInNs === undefined) return undefined;
  const setBy = messages.find(
    (message) => message.server === server && message.appliedNs === atNs && message.keys.includes(key),
  );
  if (setBy?.operation === undefined) return undefined;
  const { client, sentNs } = setBy;
  return holds.find((hold) => hold.client === client && hold.invokedAt <= sentNs && sentNs <= hold.from);
}

/**
 * The hold whose owner value a server has under a key: the one that is nearest, for owner values may be used again. Of several
 * owner values, one that the former value of the key did not have.
 */
function holdOf({ key, value, atNs }: KeyState, holds: readonly HoldSpan[], former?: string): HoldSpan | undefined {
  if (value === undefined) return undefined;
  const there = onKey(
    key,
    holds.filter(({ owner }) => hasOwner(value, owner)),
  );
  const added = there.filter(({ owner }) => !hasOwner(former, owner));
  const found = added.length === 0 ? there : added;
  const distance = ({ invokedAt, to }: HoldSpan): number => Math.max(0, invokedAt - atNs, atNs - to);
  return found.reduce<HoldSpan | undefined>(
    (best, hold) => (best !== undefined && distance(best) <= distance(hold) ? best : hold),
    undefined,
  );
}

/**
 * Those of the holds whose lock the name of a server's key has in it, for one owner value may hold several locks; all of them
 * where a library makes other names. Of `k1` and `k12`, `lock:k12` is the second.
 */
function onKey(serverKey: string, holds: readonly HoldSpan[]): readonly HoldSpan[] {
  const named = holds.filter(({ key }) => serverKey.includes(key));
  const longest = Math.max(0, ...named.map(({ key }) => key.length));
  return named.length === 0 ? holds : named.filter(({ key }) => key.length === longest);
}

function hasOwner(value: string | undefined, owner: string): boolean {
  return owner !== "" && value?.includes(owner) === true;
}
