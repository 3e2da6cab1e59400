/**
 * What a sound lock may answer, decided by trying everything: the judge of small histories. It is written from the history
 * format and the guide of the checkers alone, and shares nothing with the checkers.
 */
export interface SmallOperation {
  /** `renewed`: its client is told, at its completion, that the lock has prolonged the lease by itself. */
  kind: "acquire" | "extend" | "release" | "lost" | "renewed" | "kill";
  readonly client: number;
  /** Each does one thing at a time. */
  readonly thread: number;
  /** Of an acquire: the value under which it is granted, if it is. */
  owner: string;
  /** A whole number of units. No two events have the same time. */
  readonly invoked: number;
  /** Undefined if it was never answered. */
  completed: number | undefined;
  /** `missed`: a release that found nothing. */
  outcome: "ok" | "missed" | "fail" | "info";
  /** Ends between two units, so that nothing depends on the drift of clocks. */
  ttl: number;
  /** From the completion on, where the lock reported it. */
  validFor?: number | undefined;
  fence?: number | undefined;
  /** The owner value that an extension gives the hold, if the lock draws a new one. */
  becomes?: string | undefined;
  readonly limit?: number | undefined;
  permits?: number | undefined;
  mode?: "shared" | "exclusive" | undefined;
  /** All keys that it is about, at one instant; one key if absent. */
  readonly keys?: readonly string[] | undefined;
}

/** How a lock reads what the documents leave open. */
export interface Reading {
  /** Whether it tells clients apart that use the same owner value. */
  readonly byClient: boolean;
  /** Whether a lease counts from the instant of the grant, and not from the request. */
  readonly fromGrant: boolean;
  /** Whether a hold is certainly gone at the end of its TTL. If not, the lock may keep it for longer. */
  readonly expires: boolean;
  /** Whether a release of unknown outcome may end a hold that was asked for after it; a lost notice too. */
  readonly lateReleases: boolean;
  /** Whether an acquire of unknown outcome may have been granted under an owner value of another client. */
  readonly anyOwner: boolean;
  /**
   * By which acquires the hold of a reader that becomes a writer, or the other way round, may go on under the new owner value:
   * by those that are known to be granted, or also by those of unknown outcome.
   */
  readonly changesModes: "never" | "known" | "any";
}

interface Hold {
  readonly key: string;
  readonly client: number;
  readonly owner: string;
  readonly depth: number;
  /** When the lock may drop it. */
  readonly lease: number;
  /** When the lock has certainly dropped it. */
  readonly goneBy: number;
  readonly fence: number | undefined;
  /** Its fencing token is larger than this. */
  readonly above: number;
  /** When its last entry was asked for. */
  readonly since: number;
  readonly limit: number | undefined;
  readonly permits: number;
  readonly mode: "shared" | "exclusive" | undefined;
}

interface State {
  readonly holds: readonly Hold[];
  readonly fence: number;
  /** The earliest time at which the last change can have happened: no rule is easier to keep at a later one. */
  readonly now: number;
  /** A bit for each operation that took effect. */
  readonly done: number;
}

/** Whether some order explains all outcomes, each operation taking effect at one instant. The lock is free at first. */
export function isExplained(recorded: readonly SmallOperation[], reading: Reading): boolean {
  const operations = recorded.map((operation) => asNotice(operation, recorded));
  const names = operations.map((operation) => possibleOwners(operations, operation, reading));
  const isCertain = (operation: SmallOperation): boolean => mustHappen(operation, reading);
  const required = operations.reduce(
    (bits, operation, place) => (isCertain(operation) ? bits | (1 << place) : bits),
    0,
  );
  const seen = new Set<string>();
  const search = (state: State): boolean => {
    if ((state.done & required) === required) return true;
    const name = JSON.stringify(state);
    if (seen.has(name)) return false;
    seen.add(name);
    const open = operations.filter((operation, place) => isCertain(operation) && (state.done & (1 << place)) === 0);
    const latest = Math.min(...open.map(({ completed }) => completed!));
    const next = operations.flatMap((operation, place) => {
      if ((state.done & (1 << place)) !== 0 || isFailed(operation)) return [];
      const now = Math.max(state.now, operation.invoked);
      if (reading.expires && state.holds.some(({ goneBy }) => goneBy < now)) return [];
      const begun = { ...state, now, done: state.done | (1 << place) };
      return effects(begun, operation, names[place]!, reading);
    });
    const expired = state.holds.map((hold) => without({ ...state, now: Math.max(state.now, hold.lease) }, hold));
    return [...expired, ...next].some((after) => after.now <= latest && search(after));
  };
  return search({ holds: [], fence: -Infinity, now: -1, done: 0 });
}

/**
 * What a notice of a renewal says. It is `missed`, and says nothing, if its client has given up the lease since it was granted
 * it, or is not known to have been granted it. Else the lease was renewed after whatever its client had been told before.
 */
function asNotice(operation: SmallOperation, operations: readonly SmallOperation[]): SmallOperation {
  const { kind, client, owner, completed = Infinity } = operation;
  if (kind !== "renewed") return operation;
  const own = operations.filter((other) => other.client === client && other !== operation);
  const granted = own.findLast((other) => isGrantOf(other, owner) && other.completed! < completed);
  const gaveUp = own.some((other) => {
    const isGivenUp = (other.kind === "release" || other.kind === "lost") && other.owner === owner;
    const isBefore = (other.completed ?? Infinity) < (granted?.invoked ?? 0);
    return (other.kind === "kill" || (isGivenUp && !isBefore)) && other.invoked < completed;
  });
  if (granted === undefined || gaveUp) return { ...operation, outcome: "missed" };
  const told = own.map((other) => other.completed ?? -1).filter((time) => time < completed);
  // No two events have the same time: it came later than these.
  return { ...operation, invoked: Math.max(operation.invoked, ...told) + 0.5 };
}

function isGrantOf(operation: SmallOperation, owner: string): boolean {
  const isGranted = operation.kind === "acquire" ? operation.owner === owner : operation.becomes === owner;
  return isCertain(operation) && isGranted;
}

/** Whether it has taken effect when it is completed. A notice says no more than that the lock may let go from then on. */
function mustHappen(operation: SmallOperation, { lateReleases }: Reading): boolean {
  return isCertain(operation) && !(lateReleases && operation.kind === "lost");
}

function isCertain({ outcome, completed }: SmallOperation): boolean {
  return completed !== undefined && (outcome === "ok" || outcome === "missed");
}

/** Whether it certainly had no effect. */
function isFailed({ outcome, completed }: SmallOperation): boolean {
  return completed !== undefined && outcome === "fail";
}

/** The owner values that an acquire may be granted under, beside one that nobody knows. */
function possibleOwners(
  operations: readonly SmallOperation[],
  acquire: SmallOperation,
  { anyOwner }: Reading,
): readonly string[] {
  if (isCertain(acquire)) return [acquire.owner];
  const isGrant = ({ kind, outcome, completed }: SmallOperation): boolean =>
    kind === "acquire" && outcome === "ok" && completed !== undefined;
  const shown = operations.filter((operation) => operation.kind !== "acquire" || isGrant(operation));
  if (anyOwner) return [...new Set(["?", ...shown.flatMap(({ owner, becomes = owner }) => [owner, becomes])])];
  const own = shown.filter(({ client }) => client === acquire.client);
  const grants = own.filter(isGrant).toSorted((one, other) => one.completed! - other.completed!);
  const before = grants.filter(({ invoked }) => invoked < acquire.invoked);
  const beside = before.filter(({ completed }) => completed! > acquire.invoked);
  const last = before.at(-1) ?? grants.at(0);
  const strange = own.filter(({ owner }) => !grants.some((grant) => grant.owner === owner));
  const known = [...beside, ...(last === undefined ? [] : [last]), ...strange];
  const drawn = own.flatMap(({ becomes }) => becomes ?? []);
  return [...new Set(["?", ...known.map(({ owner }) => owner), ...drawn])];
}

/** The keys of an operation. */
export function keysOf({ keys = ["k"] }: SmallOperation): readonly string[] {
  return keys;
}

/** All states that the lock may be in once the operation took effect, on all its keys; none if it cannot take effect now. */
function effects(
  state: State,
  operation: SmallOperation,
  names: readonly string[],
  reading: Reading,
): readonly State[] {
  const onAll = (effect: (before: State, key: string) => readonly State[]): readonly State[] =>
    keysOf(operation).reduce<readonly State[]>(
      (states, key) => states.flatMap((before) => effect(before, key)),
      [state],
    );
  if (operation.kind === "kill") {
    return [{ ...state, holds: state.holds.map((hold) => bereft(hold, operation.client, state.now)) }];
  }
  if (operation.kind !== "acquire") return onAll((before, key) => changed(before, operation, key, reading));
  return names.flatMap((owner) =>
    onAll((before, key) =>
      [before, ...changingMode(before, operation, { owner, key }, reading)].flatMap((from) => {
        const after = acquired(from, operation, { owner, key }, reading);
        return after === undefined ? [] : [after];
      }),
    ),
  );
}

/** The states in which a hold of the client in the other mode is to go on under a new owner value. */
function changingMode(
  state: State,
  operation: SmallOperation,
  grant: { readonly owner: string; readonly key: string },
  reading: Reading,
): readonly State[] {
  const mayChange = reading.changesModes === "any" || (reading.changesModes === "known" && isCertain(operation));
  if (!mayChange || ownHold(state, operation, grant, reading) !== undefined) return [];
  const older = state.holds.filter(
    ({ key, client, mode }) => key === grant.key && client === operation.client && mode !== operation.mode,
  );
  return older.map((hold) => without(state, hold));
}

/** The same of an operation on the hold of one key. */
function changed(state: State, operation: SmallOperation, key: string, reading: Reading): readonly State[] {
  const own = ownHold(state, operation, { owner: operation.owner, key }, reading);
  switch (operation.kind) {
    case "extend":
      return own === undefined ? [] : [extended(state, operation, own, reading)];
    case "renewed": {
      const lease = operation.completed! + operation.validFor!;
      if (own === undefined) return operation.outcome === "missed" ? [state] : [];
      return [replaced(state, own, { lease, goneBy: Math.max(own.goneBy, lease) })];
    }
    case "release":
      if (operation.outcome === "missed") return own === undefined ? [state] : [];
      if (own === undefined) return [];
      return isCertain(operation) || reading.lateReleases || own.since < operation.invoked ? [left(state, own)] : [];
    case "lost":
      // The notice may be mistaken, or one entry is gone, or the lock promises nothing any more.
      if (own === undefined) return [state];
      return [state, left(state, own), replaced(state, own, { lease: Math.min(own.lease, state.now) })];
    default:
      return [];
  }
}

function extended(state: State, operation: SmallOperation, own: Hold, reading: Reading): State {
  const { owner, becomes = owner } = operation;
  return replaced(state, own, { owner: becomes, lease: leaseEnd(operation, state.now, reading) });
}

function ownHold(
  { holds }: State,
  { client }: SmallOperation,
  { owner, key }: { readonly owner: string; readonly key: string },
  { byClient }: Reading,
): Hold | undefined {
  return holds.find((hold) => hold.key === key && hold.owner === owner && (!byClient || hold.client === client));
}

/** The lease of an acknowledged operation counts from the request; that of another begins when it takes effect. */
function leaseEnd(operation: SmallOperation, now: number, { fromGrant }: Reading): number {
  const { invoked, completed = Infinity, ttl, validFor = Infinity } = operation;
  return isCertain(operation) ? Math.min((fromGrant ? now : invoked) + ttl, completed + validFor) : now + ttl;
}

function acquired(
  state: State,
  operation: SmallOperation,
  { owner, key }: { readonly owner: string; readonly key: string },
  reading: Reading,
): State | undefined {
  const { client, ttl, invoked, completed = Infinity, limit, permits = 1, mode } = operation;
  const fence = isCertain(operation) ? operation.fence : undefined;
  const lease = leaseEnd(operation, state.now, reading);
  const goneBy = isCertain(operation) ? completed + ttl : Infinity;
  const own = ownHold(state, operation, { owner, key }, reading);
  if (own === undefined) {
    const beside = state.holds.filter((hold) => hold.key === key);
    if (!hasRoom(beside, operation) || (fence !== undefined && fence <= state.fence)) return undefined;
    const hold = {
      key,
      client,
      owner,
      depth: 1,
      lease,
      goneBy,
      fence,
      above: state.fence,
      since: invoked,
      limit,
      permits,
      mode,
    };
    return { ...state, holds: [...state.holds, hold], fence: fence ?? state.fence };
  }
  if (fence !== undefined && (own.fence === undefined ? fence <= own.above : fence !== own.fence)) return undefined;
  const weaker = own.mode === "shared" || mode === "shared" ? "shared" : mode;
  const entered = replaced(state, own, {
    depth: own.depth + 1,
    lease,
    goneBy: Math.max(goneBy, own.goneBy),
    fence: own.fence ?? fence,
    since: Math.max(own.since, invoked),
    permits: Math.min(own.permits, permits),
    mode: weaker,
  });
  return { ...entered, fence: Math.max(state.fence, fence ?? -Infinity) };
}

function hasRoom(holds: readonly Hold[], { client, limit, permits = 1, mode }: SmallOperation): boolean {
  if (limit !== undefined) {
    const most = Math.max(limit, ...holds.map((hold) => hold.limit ?? 1));
    return holds.reduce((sum, hold) => sum + hold.permits, permits) <= most;
  }
  if (mode === undefined) return holds.length === 0;
  // The holds of one client in two modes are no conflict.
  const isBeside = (hold: Hold): boolean => hold.client === client && hold.mode !== mode;
  return holds.every((hold) => (mode === "shared" && hold.mode === "shared") || isBeside(hold));
}

function replaced(state: State, hold: Hold, changes: Partial<Hold>): State {
  return { ...state, holds: state.holds.map((other) => (other === hold ? { ...hold, ...changes } : other)) };
}

function without(state: State, hold: Hold): State {
  return { ...state, holds: state.holds.filter((other) => other !== hold) };
}

function left(state: State, hold: Hold): State {
  return hold.depth > 1 ? replaced(state, hold, { depth: hold.depth - 1 }) : without(state, hold);
}

function bereft(hold: Hold, client: number, now: number): Hold {
  return hold.client === client ? { ...hold, lease: Math.min(hold.lease, now) } : hold;
}
