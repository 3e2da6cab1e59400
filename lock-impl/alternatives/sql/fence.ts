/**
 * Reads a fencing token from a column of type `bigint`, which arrives as text.
 * @throws when it is not a safe integer, that is beyond nine quadrillion
 */
export function fenceFrom(column: unknown): number {
  const fence = Number(column);
  if (!Number.isSafeInteger(fence)) throw new Error(`${String(column)} is no fencing token`);
  return fence;
}
