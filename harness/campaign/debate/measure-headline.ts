import type { HeadlineRow, MeasuredHeadline } from "../../../reports/debate/measured-headline.ts";
import { CLIENTS, headlinePlans, PAUSE_EVERY_MS, TTL_MS } from "../../../workloads/headline.ts";
import type { Contender, Guard } from "../../../workloads/headline-contenders.ts";
import { sumOfLosses, type UpdateLosses, updateLosses } from "../../check/properties/update-losses.ts";
import { HarnessError } from "../../core/errors.ts";
import type { TableBackend } from "../../core/topologies/backend.ts";
import { cleanup } from "../cleanup.ts";
import { executorOf, poolFor } from "../execute.ts";
import { type CompleteEnvironment, completeEnvironment, type RunEnvironment } from "../run-environment.ts";
import { WorkerPool } from "../worker-pool.ts";
import { WORKER } from "./measure-debate.ts";
import type { DebateAnswer, LossTask } from "./worker.ts";

/** A thread does this many minutes as one piece of work. */
const PIECE_MINUTES = 2;

export interface HeadlineOptions {
  readonly contenders: readonly Contender[];
  readonly guards: readonly Guard[];
  /** For each contender and each guard. */
  readonly minutes: number;
  readonly seed: number;
  readonly backend: TableBackend;
}

type Pieces = ReadonlyMap<LossTask, UpdateLosses>;

/**
 * Measures how many acknowledged updates are lost under each lock. In simulation the numbers depend only on seed and
 * minutes. The rows leave out work that a signal left undone.
 */
export async function measureHeadline(
  { contenders, guards, minutes, seed, backend }: HeadlineOptions,
  surroundings: RunEnvironment = {},
): Promise<MeasuredHeadline> {
  const environment = completeEnvironment(surroundings);
  // Interrupted, it is given the time to tell what was measured.
  cleanup.isDue = true;
  const pieces = contenders.flatMap((contender) =>
    guards.flatMap((guard) => piecesOf({ contender, guard, seed, from: 0, minutes })),
  );
  const losses = backend === "simulated" ? await inThreads(pieces, environment) : await onServers(pieces, environment);
  const rowOf = (contender: Contender): HeadlineRow => ({
    ...contender,
    guards: Object.fromEntries(
      guards.flatMap((guard) => {
        const mine = pieces.filter((piece) => piece.contender === contender && piece.guard === guard);
        const found = mine.flatMap((piece) => losses.get(piece) ?? []);
        return found.length < mine.length ? [] : [[guard, sumOfLosses(found)]];
      }),
    ),
  });
  const facts = { backend, seed, minutes, ttlMs: TTL_MS, clients: CLIENTS, pauseEveryMs: PAUSE_EVERY_MS, guards };
  return { ...facts, rows: contenders.map(rowOf).filter((row) => Object.keys(row.guards).length > 0) };
}

function piecesOf(whole: LossTask): readonly LossTask[] {
  return Array.from({ length: Math.ceil(whole.minutes / PIECE_MINUTES) }, (_, index) => {
    const from = index * PIECE_MINUTES;
    return { ...whole, from, minutes: Math.min(PIECE_MINUTES, whole.minutes - from) };
  });
}

function titleOf({ contender, guard, from }: LossTask): string {
  return `${contender.lock}, resource checks ${guard}, from minute ${from}`;
}

async function inThreads(pieces: readonly LossTask[], { signal, progress }: CompleteEnvironment): Promise<Pieces> {
  const losses = new Map<LossTask, UpdateLosses>();
  await using workers = new WorkerPool<LossTask, DebateAnswer>(WORKER);
  await workers.do(pieces, {
    signal,
    onStart: (piece, index) => progress.step(`${index + 1} of ${pieces.length}: ${titleOf(piece)}`),
    onAnswer: (piece, answer) => {
      if (!("losses" in answer)) {
        throw new HarnessError(`${titleOf(piece)}: ${"error" in answer ? answer.error : "no losses"}`);
      }
      losses.set(piece, answer.losses);
    },
  });
  return losses;
}

/** One run after another, on servers that stay up between runs. */
async function onServers(pieces: readonly LossTask[], environment: CompleteEnvironment): Promise<Pieces> {
  const execute = await executorOf("containers");
  await using pool = await poolFor("containers");
  const losses = new Map<LossTask, UpdateLosses>();
  for (const piece of pieces) {
    const found: UpdateLosses[] = [];
    for (const plan of headlinePlans(piece.contender, piece.guard, piece)) {
      if (environment.signal.aborted) return losses;
      const { record } = await execute(plan, {
        ...environment,
        title: titleOf(piece),
        required: ["lost-updates"],
        pool,
      });
      found.push(updateLosses(record.history));
    }
    losses.set(piece, sumOfLosses(found));
  }
  return losses;
}
