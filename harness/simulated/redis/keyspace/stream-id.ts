/** ID of a stream entry. Both parts are unsigned 64-bit numbers. */
export interface StreamId {
  readonly ms: bigint;
  readonly sequence: bigint;
}

export const UINT64_MAX = 18446744073709551615n;
export const FIRST_ID: StreamId = { ms: 0n, sequence: 0n };
export const LAST_ID: StreamId = { ms: UINT64_MAX, sequence: UINT64_MAX };

export function compareIds(a: StreamId, b: StreamId): number {
  if (a.ms !== b.ms) return a.ms < b.ms ? -1 : 1;
  if (a.sequence === b.sequence) return 0;
  return a.sequence < b.sequence ? -1 : 1;
}

export function formatId(id: StreamId): string {
  return `${id.ms}-${id.sequence}`;
}

/** The next greater ID, or undefined after the last. */
export function nextId(id: StreamId): StreamId | undefined {
  if (id.sequence < UINT64_MAX) return { ms: id.ms, sequence: id.sequence + 1n };
  return id.ms < UINT64_MAX ? { ms: id.ms + 1n, sequence: 0n } : undefined;
}

/** The next smaller ID, or undefined before the first. */
export function previousId(id: StreamId): StreamId | undefined {
  if (id.sequence > 0n) return { ms: id.ms, sequence: id.sequence - 1n };
  return id.ms > 0n ? { ms: id.ms - 1n, sequence: UINT64_MAX } : undefined;
}
