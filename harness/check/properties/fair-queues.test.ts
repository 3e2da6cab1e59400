/** Random locks with a queue, fair ones and others, against the definition of `first-come-first-served`. */
import { expect, test } from "vitest";
import type { History, HistoryEvent } from "../../history/history.ts";
import { checkHistory } from "../check.ts";
import { playFairLock } from "../testing/fair-server.ts";

/** More with `LOCKSTORM_FAIR_HISTORIES=2000`, and others with `LOCKSTORM_FAIR_SEED=5000`. */
const HISTORIES = Number(process.env["LOCKSTORM_FAIR_HISTORIES"] ?? 60);
const FIRST_SEED = Number(process.env["LOCKSTORM_FAIR_SEED"] ?? 1);
const SEEDS = Array.from({ length: HISTORIES }, (_, place) => FIRST_SEED + place);
const MS = 1_000_000;

interface Acquire {
  readonly asked: HistoryEvent & { f: "acquire"; type: "invoke" };
  readonly granted: HistoryEvent & { f: "acquire"; type: "ok" };
  /** The last time that the lock said that it stands in the queue. */
  readonly queued: HistoryEvent | undefined;
  /** Whether its client held, as far as it knew: a re-entry need not queue. */
  readonly isReentry: boolean;
  /** Whether its client had been refused, and not been granted the key since: it may have kept its place. */
  readonly isReturn: boolean;
}

/** The acquires that were granted. Each client does one thing at a time. */
function acquiresOf({ events }: History): readonly Acquire[] {
  const own = (process: number): readonly HistoryEvent[] => events.filter((event) => event.process === process);
  const clients = [...new Set(events.map(({ process }) => process))];
  return clients.flatMap((process) => {
    const all = own(Number(process));
    return all.flatMap((granted, place) => {
      if (granted.type !== "ok" || granted.f !== "acquire") return [];
      const before = all.slice(0, place);
      const asked = before.findLast((event) => event.type === "invoke" && event.f === "acquire") as Acquire["asked"];
      const queued = before.findLast(({ type, index }) => type === "queued" && index > asked.index);
      const known = before.filter(({ index }) => index < asked.index);
      const last = known.findLast(({ type }) => type === "ok");
      const isFreed = last?.type === "ok" && last.f === "release" && last.value.released;
      const refused = known.findLast(({ type }) => type === "fail")?.index ?? -1;
      const grantedBefore = known.findLast((event) => event.type === "ok" && event.f === "acquire")?.index ?? -1;
      return [{ asked, granted, queued, isReentry: last !== undefined && !isFreed, isReturn: refused > grantedBefore }];
    });
  });
}

/** Whether two acquires were certainly granted in the other order than they were asked for. */
function isUnfair(history: History): boolean {
  const acquires = acquiresOf(history);
  return acquires.some((early) =>
    acquires.some((late) => {
      const { queued, asked, granted } = early;
      if (queued === undefined || early.isReentry || late.isReentry || late.isReturn) return false;
      if (late.asked.value.waitMs === 0) return false;
      const lease = asked.time + (asked.value.ttlMs * 0.99 - 2) * MS;
      const grantedAt = granted.value.grantedAt ?? 0;
      const isLater = grantedAt >= late.granted.time && lease > late.granted.time;
      return late.asked.index > queued.index && isLater;
    }),
  );
}

test("a fair lock is accused of nothing, however late its answers come", () => {
  let judged = 0;
  for (const seed of SEEDS) {
    const { properties } = checkHistory(playFairLock(seed, false));
    const accused = Object.entries(properties).flatMap(([name, { verdict }]) => (verdict === "invalid" ? [name] : []));
    expect({ seed, accused: accused.filter((name) => name !== "mutual-exclusion") }).toEqual({ seed, accused: [] });
    if (properties["first-come-first-served"]?.verdict === "valid") judged += 1;
  }
  expect(judged).toBeGreaterThan(HISTORIES / 2);
});

test("a lock that lets clients pass the queue is accused where this is certain", () => {
  let unfair = 0;
  for (const seed of SEEDS) {
    const history = playFairLock(seed, true);
    const found = checkHistory(history).properties["first-come-first-served"];
    expect({ seed, isUnfair: found?.verdict === "invalid" }).toEqual({ seed, isUnfair: isUnfair(history) });
    if (found?.verdict === "invalid") unfair += 1;
  }
  expect(unfair).toBeGreaterThan(0);
});
