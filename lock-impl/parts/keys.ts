/**
 * The name of a second key of a lock that must be in the same hash slot on a Redis Cluster, such as its fence counter:
 * `{orders}:fence` for `orders`, `{user:7}:orders:fence` for `{user:7}:orders`.
 * @throws RangeError for a key with a `}` but without a hash tag: no other key can be put into its slot
 */
export function siblingKey(key: string, purpose: string): string {
  const open = key.indexOf("{");
  if (open !== -1 && key.indexOf("}", open) > open + 1) return `${key}:${purpose}`;
  if (key.includes("}")) throw new RangeError(`the lock key ${key} has a "}" but no hash tag: write it as {name}`);
  return `{${key}}:${purpose}`;
}
