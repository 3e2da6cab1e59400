/**
 * Like `Promise.all`, but rejects only after every promise has settled: everything that was started can then be
 * removed, and nothing appears afterwards.
 */
export async function settleAll<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
