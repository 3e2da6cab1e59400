/**
 * A fencing token out of a column of type `bigint`, which comes as text.
 * @throws when it cannot be a safe integer, after nine quadrillion of them
 */
export function fenceFrom(column: unknown): number {
  const fence = Number(column);
  if (!Number.isSafeInteger(fence)) throw new Error(`${String(column)} is no fencing token`);
  return fence;
}
