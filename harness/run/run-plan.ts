import { HarnessError, messageOf } from "../core/errors.ts";
import type { Fault } from "../core/fault.ts";
import type { History } from "../core/history.ts";
import type { Plan } from "../core/plan.ts";
import { clientName } from "../core/topology.ts";
import type { SystemUnderTest } from "../core/system.ts";
import { ClientSession } from "./client-session.ts";
import { Journal } from "./journal.ts";
import { Nemesis, readyFaults } from "./nemesis.ts";
import { Recorder, type LineSink } from "./recorder.ts";
import { TriggerBoard } from "./trigger-board.ts";

export interface RunOptions {
  readonly plan: Plan;
  /** A started system that fits the plan's topology and number of clients. The run does not dispose it. */
  readonly system: SystemUnderTest;
  readonly faults: readonly Fault[];
  /** Receives the history line by line, while it is made. */
  readonly sink?: LineSink;
  /** Further facts for the first line of the history: backend, versions. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Ends the run early; what was recorded stays. */
  readonly signal?: AbortSignal;
}

/** `completed`: all clients came to their end. `limit`: the plan's time was over. `interrupted`: the signal ended it. */
export type RunEnd = "completed" | "limit" | "interrupted";

/**
 * Runs one plan on a started system: drives the clients, injects the faults, records the history. Everything the run
 * needs to know of the world it learns through `system`, so that it is the same on every backend.
 * @throws UserError before anything is done, when a fault of the plan cannot be read
 * @throws HarnessError when the system itself broke down (not when a fault broke it); the sink has the history so far
 */
export async function runPlan(options: RunOptions): Promise<{ readonly history: History; readonly end: RunEnd }> {
  const { plan, system } = options;
  const { clock, clients } = system;
  const ready = readyFaults(plan.faults, options.faults);
  const stop = new AbortController();
  const breakdown = Promise.withResolvers<never>();
  breakdown.promise.catch(() => {});
  const recorder = new Recorder(
    { clients: clients.length, lock: plan.lock, seed: plan.seed, topology: plan.topology.kind, ...options.facts },
    () => clock.now(),
    (line) => {
      try {
        options.sink?.(line);
      } catch (error) {
        // Events come from everywhere; none of those who record them could do anything about it.
        breakdown.reject(new HarnessError(`the history cannot be written: ${messageOf(error)}`, { cause: error }));
      }
    },
  );
  const board = new TriggerBoard(clock, stop.signal);
  const journal = new Journal(recorder, board, clients.length);
  const sessions = clients.map(
    (client, index) =>
      new ClientSession({ index, clients: clients.length, client, journal, board, clock, signal: stop.signal }),
  );
  const nemesis = new Nemesis(
    system,
    journal,
    board,
    (name) => sessions.find((_, index) => clientName(index) === name)?.process,
  );

  system.resource.onAudit(({ key, ...value }) => {
    recorder.record({ process: "storage", type: "audit", f: "write", key, value });
  });
  system.onNotice((notice) => {
    if (notice.kind === "died") breakdown.reject(new HarnessError(`${notice.name} died by itself: ${notice.evidence}`));
    else {
      const value = { phase: "start" as const, targets: [notice.node], outcome: "installed" as const };
      void journal.fault("promotion", { ...value, evidence: notice.evidence });
    }
  });

  const nemesisFailure = nemesis.start(ready);
  const nemesisBroken = rejectionOf(nemesisFailure, stop.signal);
  const work = Promise.all(sessions.map((session, index) => session.run(plan.clients[index] ?? { sections: [] })));
  const limit = clock.sleep(plan.limitMs, stop.signal);
  try {
    const end = await Promise.race([
      work.then((): RunEnd => "completed"),
      limit.then((): RunEnd => "limit"),
      aborted(options.signal, stop.signal).then((): RunEnd => "interrupted"),
      breakdown.promise,
      nemesisBroken,
    ]);
    stop.abort(new Error("the run is over"));
    await nemesis.finish();
    await Promise.race([system.resource.drain(), breakdown.promise]);
    return { history: recorder.history, end };
  } finally {
    stop.abort(new Error("the run is over"));
    recorder.seal();
    await Promise.allSettled([limit, nemesisFailure]);
    work.catch(() => {});
  }
}

/** Rejects as `promise` does, unless the run is over by then; never resolves. */
function rejectionOf(promise: Promise<unknown>, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    promise.catch((error: unknown) => {
      if (!over.aborted) reject(error);
    });
  });
}

/** Resolves when `signal` aborts; stops listening when the run is over, because one signal may serve many runs. */
function aborted(signal: AbortSignal | undefined, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true, signal: over });
  });
}
