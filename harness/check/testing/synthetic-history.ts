import type { HistoryEvent, HistoryHeader } from "../../history/history.ts";
import { randomStream } from "../../core/random.ts";

export interface SyntheticOptions {
  readonly seed: number;
  readonly clients: number;
  /** About how many operations on the lock. */
  readonly operations: number;
  /** Share of operations with an indeterminate end, 0 to 1. */
  readonly indeterminate: number;
  /** Share of acquires that are tried once and refused as contended, 0 to 1. */
  readonly refused: number;
}

const TTL_MS = 1000;
const MS = 1_000_000;

/** First line of a synthetic history. */
export function syntheticHeader({ clients, seed }: SyntheticOptions): HistoryHeader {
  return { format: "lockstorm-history", version: 1, clients, seed, lock: "synthetic" };
}

/**
 * The history of a correct, fenced lock on one key that all clients want all the time: one holds for about a
 * millisecond, the others wait. An indeterminate acquire may leave the key taken for its TTL; an indeterminate release
 * takes effect. The events are made one at a time, so that histories of any length fit.
 */
export function* syntheticEvents(options: SyntheticOptions): Generator<HistoryEvent> {
  const random = randomStream(options.seed, "synthetic");
  const chance = (share: number): boolean => share > 0 && random.integer(1, 1_000_000) <= share * 1_000_000;
  const waiting: number[] = [];
  const processes = Array.from({ length: options.clients }, (_, client) => client);
  let index = 0;
  let time = 0;
  let fence = 0;
  let operations = 0;
  const stamp = (): { index: number; time: number } => {
    time += random.integer(1_000, 200_000);
    return { index: index++, time };
  };
  const acquire = (process: number): HistoryEvent => ({
    ...stamp(),
    process,
    type: "invoke",
    f: "acquire",
    key: "k",
    value: { ttlMs: TTL_MS, waitMs: 60_000 },
  });
  const go = (process: number): number => process + options.clients;

  for (let client = 0; client < options.clients; client += 1) {
    yield acquire(client);
    waiting.push(client);
  }
  while (operations < options.operations) {
    const [client] = waiting.splice(random.integer(0, waiting.length - 1), 1);
    const process = processes[client!]!;
    operations += 1;
    if (chance(options.indeterminate)) {
      yield { ...stamp(), process, type: "info", f: "acquire", key: "k", value: { reason: "timed out" } };
      // Half of them took effect: nobody is granted the lock until the lease is over.
      if (chance(0.5)) time += TTL_MS * MS;
      processes[client!] = go(process);
      yield acquire(go(process));
      waiting.push(client!);
      continue;
    }
    fence += 1;
    const owner = `o${fence.toString(36)}-${process}`;
    const validForMs = TTL_MS - 12;
    yield { ...stamp(), process, type: "ok", f: "acquire", key: "k", value: { owner, fence, validForMs } };
    if (waiting.length > 0 && chance(options.refused)) {
      // A waiting client gives up: it saw the holder.
      const place = random.integer(0, waiting.length - 1);
      const other = processes[waiting[place]!]!;
      operations += 1;
      yield { ...stamp(), process: other, type: "fail", f: "acquire", key: "k", value: { reason: "contended" } };
      yield acquire(other);
    }
    yield { ...stamp(), process, type: "invoke", f: "release", key: "k", value: { owner } };
    operations += 1;
    if (chance(options.indeterminate)) {
      yield { ...stamp(), process, type: "info", f: "release", key: "k", value: { reason: "timed out" } };
      processes[client!] = go(process);
    } else yield { ...stamp(), process, type: "ok", f: "release", key: "k", value: { released: true } };
    yield acquire(processes[client!]!);
    waiting.push(client!);
  }
}
