import { formatDouble, formatG, formatScore, nonFinite } from "../numbers/floats.ts";
import { DoubleReply } from "../protocol/reply.ts";
import type { RedisServer } from "../server.ts";
import type { SortedSetValue } from "../keyspace/values.ts";

/** A score as replies write it. */
export function doubleReply(server: RedisServer, value: number): DoubleReply {
  return new DoubleReply(value, formatDouble(value, server.isModern ? "shortest" : "17-digits"));
}

/** A score as ZSCAN writes it, which differs from replies: as a listpack stores it, or with 17 digits. */
export function formatScanScore(server: RedisServer, encoding: SortedSetValue["encoding"], score: number): string {
  if (!Number.isFinite(score)) return nonFinite(score);
  if (encoding === "skiplist") return formatG(score, 17);
  return formatScore(score, server.isModern ? "shortest" : "17-digits");
}
