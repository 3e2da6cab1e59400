import type { HeadlineRow, MeasuredHeadline } from "../../../reports/headline.ts";
import { CLIENTS, headlinePlans, PAUSE_EVERY_MS, TTL_MS } from "../../../workloads/headline.ts";
import type { Contender, Guard } from "../../../workloads/headline-contenders.ts";
import { sumOfLosses, type UpdateLosses, updateLosses } from "../../check/update-losses.ts";
import { HarnessError } from "../../core/errors.ts";
import { type Backend, type Execute, executorOf } from "../backend.ts";
import { Crew } from "../crew.ts";
import type { Progress } from "../progress.ts";
import { WORKER } from "./measure-debate.ts";
import type { Answer, LossTask } from "./worker.ts";

/** So many minutes are a piece of work for a thread. */
const PIECE_MINUTES = 2;

export interface HeadlineOptions {
  readonly contenders: readonly Contender[];
  readonly guards: readonly Guard[];
  /** Of each contender and each guard. */
  readonly minutes: number;
  readonly seed: number;
  readonly backend: Backend;
  /** What containers need, and only they. */
  readonly containers?: Pick<Parameters<Execute>[1], "server" | "proxyPort" | "store">;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

type Pieces = ReadonlyMap<LossTask, UpdateLosses>;

/**
 * Measures how many acknowledged updates are lost under each lock. In simulation the numbers depend on seed and minutes
 * alone. What a signal left undone is left out of the rows.
 */
export async function measureHeadline(options: HeadlineOptions): Promise<MeasuredHeadline> {
  const { contenders, guards, minutes, seed, backend } = options;
  const pieces = contenders.flatMap((contender) =>
    guards.flatMap((guard) => piecesOf({ contender, guard, seed, from: 0, minutes })),
  );
  const losses = backend === "simulated" ? await inThreads(pieces, options) : await onServers(pieces, options);
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

async function inThreads(pieces: readonly LossTask[], { signal, progress }: HeadlineOptions): Promise<Pieces> {
  const losses = new Map<LossTask, UpdateLosses>();
  await using crew = new Crew<LossTask, Answer>(WORKER);
  await crew.do(pieces, {
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

/** One run after another, on servers that are kept between them. */
async function onServers(pieces: readonly LossTask[], options: HeadlineOptions): Promise<Pieces> {
  const { signal, containers, progress } = options;
  if (containers === undefined) throw new TypeError("runs on containers need to know on which");
  const execute = await executorOf("containers");
  const { ContainerPool } = await import("../../containers/container-pool.ts");
  await using pool = new ContainerPool();
  const losses = new Map<LossTask, UpdateLosses>();
  for (const piece of pieces) {
    const found: UpdateLosses[] = [];
    for (const plan of headlinePlans(piece.contender, piece.guard, piece)) {
      if (signal.aborted) return losses;
      const title = titleOf(piece);
      const { record } = await execute(plan, {
        ...containers,
        title,
        required: ["lost-updates"],
        signal,
        progress,
        pool,
      });
      found.push(updateLosses(record.history));
    }
    losses.set(piece, sumOfLosses(found));
  }
  return losses;
}
