import { formatG, formatScore, nonFinite } from "../floats.ts";
import type { RedisServer } from "../server.ts";

/** A score as ZSCAN writes it, which differs from replies. */
export function formatScanScore(server: RedisServer, score: number): string {
  if (!Number.isFinite(score)) return nonFinite(score);
  return server.isModern ? formatScore(score, "shortest") : formatG(score, 17);
}
