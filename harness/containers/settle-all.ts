/**
 * Like `Promise.all`, but rejects only when nothing of it is under way any more: what was being started can then be
 * taken away without anything appearing afterwards.
 */
export async function settleAll<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
