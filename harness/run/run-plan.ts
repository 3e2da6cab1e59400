import { ClientEndedError, HarnessError, messageOf, UserError } from "../core/errors.ts";
import type { Fault } from "../core/fault.ts";
import type { EndMarker, History, HistoryHeader, RunEnd } from "../history/history.ts";
import { type Plan, tasksOf } from "../core/plan.ts";
import { clientName, RESOURCE } from "../core/topology.ts";
import type { SystemUnderTest } from "../core/system.ts";
import { ClientTasks } from "./client-tasks.ts";
import { EventPublisher } from "./event-publisher.ts";
import { Nemesis, readyFaults } from "./nemesis.ts";
import { type NoticeWriters, recordNotice } from "./record-notice.ts";
import { Recorder, type LineSink } from "./recorder.ts";
import { TriggerBoard } from "./trigger-board.ts";
import { messageWatch } from "./watch-messages.ts";

export interface RunOptions {
  readonly plan: Plan;
  /** A started system that fits the plan's topology and number of clients. The run does not dispose it. */
  readonly system: SystemUnderTest;
  readonly faults: readonly Fault[];
  /** Receives the history line by line while it is recorded. */
  readonly sink?: LineSink | undefined;
  /** More facts for the first line of the history: backend, versions. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** `false` where what the lock grants does not end by itself. */
  readonly leases?: false | undefined;
  /** Ends the run early; the events recorded so far stay. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs one plan on a started system: drives the clients, injects the faults, records the history. The run learns
 * everything about the world through `system`, so it is the same on every backend.
 * @throws UserError before anything is done, when a fault of the plan cannot be read, or a trigger cannot come here
 * @throws HarnessError when the system itself failed (not when a fault stopped it); the sink has the history so far
 */
export async function runPlan(options: RunOptions): Promise<{ readonly history: History; readonly end: RunEnd }> {
  const { plan, system, leases } = options;
  const { clock, clients } = system;
  const ready = readyFaults(plan.faults, options.faults);
  const watch = messageWatch(plan, system);
  const stop = new AbortController();
  const breakdown = Promise.withResolvers<never>();
  const flood = Promise.withResolvers<string>();
  breakdown.promise.catch(() => {});
  const recorder = new Recorder(
    {
      clients: clients.length,
      ...tasksFact(plan),
      lock: plan.lock,
      seed: plan.seed,
      topology: plan.topology.kind,
      ...options.facts,
    },
    () => clock.now(),
    written(options.sink, (error) => breakdown.reject(error)),
  );
  const board = new TriggerBoard(clock, stop.signal);
  const publisher = new EventPublisher(recorder, board, clients.length);
  const sessions = clients.map(
    (client, index) =>
      new ClientTasks({
        index,
        clients: clients.length,
        client,
        publisher,
        board,
        clock,
        signal: stop.signal,
        leases,
      }),
  );
  const processesOf = (name: string): readonly number[] =>
    sessions.find((_, index) => clientName(index) === name)?.processes ?? [];
  const nemesis = new Nemesis(system, publisher, board, processesOf);
  const frozen = hear(system, {
    recorder,
    publisher,
    processesOf,
    sectionsDoneBy: (name) => {
      const named = sessions.filter((_, index) => clientName(index) === name);
      return (named.length === 0 ? sessions : named).reduce((sum, { sectionsDone }) => sum + sectionsDone, 0);
    },
    onFlood: flood.resolve,
    onDeath: breakdown.reject,
  });

  await watch?.(board);
  const nemesisFailure = nemesis.start(ready);
  const nemesisBroken = rejectionOf(nemesisFailure, stop.signal);
  const work = Promise.all(sessions.map((session, index) => session.run(plan.clients[index] ?? { sections: [] })));
  const limit = clock.sleep(plan.limitMs, stop.signal);
  let reason: string | undefined;
  const standing = (): Standing => ({ at: clock.now(), sections: sectionsOf(plan, sessions) });
  try {
    const end = await Promise.race([
      work.then((): RunEnd => "completed"),
      limit.then((): RunEnd => "limit"),
      flood.promise.then((evidence): RunEnd => {
        reason = evidence;
        return "limit";
      }),
      aborted(options.signal, stop.signal).then((): RunEnd => "interrupted"),
      breakdown.promise,
      nemesisBroken,
    ]);
    const stood = standing();
    stop.abort(new Error("the run is over"));
    system.endWatch?.();
    await nemesis.finish();
    // A frozen resource reports nothing. Its missing audits are no evidence against anybody.
    if (!frozen.has(RESOURCE)) await Promise.race([system.resource.drain(), breakdown.promise]);
    recorder.end({ run: end, ...stood, reason });
    return { history: recorder.history, end };
  } catch (error) {
    recorder.end({ run: "failed", ...standing(), reason: messageOf(error) });
    throw error;
  } finally {
    stop.abort(new Error("the run is over"));
    recorder.seal();
    await Promise.allSettled([limit, nemesisFailure]);
    work.catch(() => {});
  }
}

/** Who is told what happens by itself. */
interface Hearers extends NoticeWriters {
  /** Of a client; of all, for the name of a server. */
  readonly sectionsDoneBy: (name: string) => number;
  /** Clients send messages without end and get nothing done. */
  readonly onFlood: (evidence: string) => void;
  readonly onDeath: (error: HarnessError) => void;
}

/**
 * Records what the resource and the system tell until the run is over.
 * @returns what is frozen, without a fault; it grows
 */
function hear(system: SystemUnderTest, hearers: Hearers): ReadonlySet<string> {
  const frozen = new Set<string>();
  system.resource.onAudit(({ key, ...value }) => {
    hearers.recorder.record({ process: "storage", type: "audit", f: "write", key, value });
  });
  system.onNotice((notice) => {
    if (notice.kind === "flooded") {
      if (hearers.sectionsDoneBy(notice.name) < BUSY_SECTIONS) hearers.onFlood(notice.evidence);
    } else if (notice.kind === "died") {
      const isClient = system.clients.some(({ name }) => name === notice.name);
      const what = `${notice.name} died by itself: ${notice.evidence}`;
      hearers.onDeath(isClient ? new ClientEndedError(what) : new HarnessError(what));
    } else {
      if (notice.kind === "froze" && notice.lasts) frozen.add(notice.name);
      recordNotice(notice, hearers);
    }
  });
  return frozen;
}

/** The sink of the events, whose errors go to `failed`: none of the callers that record events could handle them. */
function written(sink: LineSink | undefined, failed: (error: Error) => void): LineSink {
  return (line) => {
    try {
      sink?.(line);
    } catch (error) {
      const unwritten = new HarnessError(`the history cannot be written: ${messageOf(error)}`, { cause: error });
      failed(error instanceof UserError ? error : unwritten);
    }
  };
}

/** A client that has done this many critical sections was asked to send many messages. */
const BUSY_SECTIONS = 100;

/** What the end marker says about the moment when the clients were stopped. */
type Standing = Pick<EndMarker["value"], "at" | "sections">;

function sectionsOf({ clients }: Plan, sessions: readonly ClientTasks[]): Standing["sections"] {
  const planned = clients.reduce((sum, { sections }) => sum + sections.length, 0);
  return { planned, done: sessions.reduce((sum, { sectionsDone }) => sum + sectionsDone, 0) };
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

/** How many tasks each client has, where one has several: else a number of the client is all that a process tells. */
function tasksFact({ clients }: Plan): Pick<HistoryHeader, "tasks"> {
  const tasks = clients.map((client) => tasksOf(client).length);
  return tasks.every((count) => count === 1) ? {} : { tasks };
}
