/**
 * Hides data of an error from programs that print all properties of an error below its message, as test runners do: the message
 * says it already. The data can be read as before.
 */
export function unprinted<Failure extends Error>(failure: Failure, ...keys: readonly (keyof Failure)[]): Failure {
  for (const key of keys) Object.defineProperty(failure, key, { enumerable: false });
  return failure;
}
