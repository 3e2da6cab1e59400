// First: libraries store functions of the platform when they are loaded.
import { replayFromHere } from "../core/words/replay-from-here.ts";
import "../simulated/platform/install.ts";
import { faults } from "../../faults/registry.ts";
import { checkHistory } from "../check/check.ts";
import type { CheckerFactory } from "../check/checker.ts";
import { alteredDriver } from "../client/altered-driver.ts";
import { foreignDriver } from "../client/load-driver.ts";
import { findWorker } from "../external/find-worker.ts";
import type { LockDriver } from "../core/lock-driver.ts";
import type { Control } from "../history/control.ts";
import type { History, RunEnd } from "../history/history.ts";
import { CLIENT_CRASH } from "../core/fault-traits.ts";
import type { Fault } from "../core/fault.ts";
import type { Plan } from "../core/plan.ts";
import type { WireMessage } from "../core/messages/wire-message.ts";
import type { Delays } from "./recurrence/delays.ts";
import { isSimulated, requireSimulated } from "../core/topology.ts";
import { PROPERTIES, type Property, type Verdict } from "../core/verdict.ts";
import { boundedWire, type WireRecord } from "../core/messages/wire-record.ts";
import { changed, type ExecuteChanged, withoutStandIns } from "../proof/changed-run.ts";
import { proveCauses } from "../proof/prove.ts";
import { provenElsewhere } from "../proof/proven-elsewhere.ts";
import { runPlan } from "../run/run-plan.ts";
import type { LineSink } from "../run/recorder.ts";
import { RunFolder } from "../run/store.ts";
import { focusOf } from "../run/observed-record.ts";
import { writeWire } from "../run/wire-files.ts";
import { wireMessages } from "../simulated/wire/exchange.ts";
import type { InputListener } from "../simulated/kernel/input-listener.ts";
import { simulate, type Simulated } from "../simulated/system/simulate.ts";
import type { RunRecord } from "../../reports/run/run-record.ts";
import { withVerdict, type KeptRun } from "./kept-run.ts";
import { slowFaults } from "./recurrence/slow-faults.ts";
import { simulatedDriver } from "./simulated-driver.ts";

/** A simulated run that is over. */
export interface SimulatedRun {
  readonly plan: Plan;
  readonly record: RunRecord;
  /** Equal for equal runs: the same plan and the same code. */
  readonly traceHash: string;
  /** What clients sent to servers, in the order of sending. Empty unless it was asked for. */
  readonly messages: readonly WireMessage[];
}

/**
 * Runs a plan in simulation and judges it. Only `sink` writes anything: a run takes a millisecond.
 * @throws UserError when the plan names an unknown lock or fault, or a topology that is in containers only;
 * HarnessError when the simulation failed; InterruptedRunError when `signal` ended the run
 */
export async function runSimulated(
  plan: Plan,
  options: {
    readonly title: string;
    readonly required: readonly Property[];
    /** The checkers to run. Default: all. */
    readonly checkers?: readonly CheckerFactory[] | undefined;
    readonly sink?: LineSink | undefined;
    /** The lock, if it is not the one that the plan's `lock` names. */
    readonly driver?: LockDriver | undefined;
    /** Faults that the plan may use in addition to the registered ones. */
    readonly moreFaults?: readonly Fault[];
    /** Receives each input of each host. */
    readonly inputs?: InputListener | undefined;
    /** Ends the run early: it is then interrupted, and not judged. */
    readonly signal?: AbortSignal | undefined;
    /** Keeps what clients send to servers. Default: false. */
    readonly messages?: boolean;
    /** Records the wire and what servers held, in the record. Default: false. */
    readonly wire?: boolean;
    /** How long things take that the plan does not say. Default: nearly no time. */
    readonly delays?: Delays | undefined;
  },
): Promise<SimulatedRun> {
  const {
    title,
    sink,
    required,
    checkers,
    signal,
    inputs,
    moreFaults = [],
    messages: wanted = false,
    wire = false,
    delays,
  } = options;
  // Before the lock is loaded, which may need packages that are installed for containers only.
  requireSimulated(plan.topology.kind);
  const driver = options.driver ?? (await simulatedDriver(plan.lock));
  const facts = { backend: "simulated", persistence: plan.topology.persistence, title };
  const registered = [...faults, ...moreFaults];
  const known = delays === undefined ? registered : slowFaults(registered, delays.faultMs);
  const latency = delays && { minUs: delays.messageUs.from, maxUs: delays.messageUs.to };
  const run = (stacks: boolean): Promise<Simulated<{ readonly history: History; readonly end: RunEnd }>> =>
    simulate({ plan, driver, signal, inputs, messages: wanted, servers: wire, stacks, latency }, (system, signal) =>
      runPlan({ plan, system, faults: known, facts, signal, sink, leases: driver.leases }),
    );
  // Only a stranger's code may read stacks, and a sink must not be given a run twice.
  const withoutStacks = options.driver === undefined && sink === undefined && foreignDriver(plan.lock) === undefined;
  const { value, traceHash, exchanges, watch } =
    (withoutStacks ? await withoutStack(run) : undefined) ?? (await run(true));
  const { history } = value;
  if (value.end === "interrupted") throw new InterruptedRunError(plan, history);
  const verdict = checkHistory(history, { required, checkers });
  const messages = wanted || wire ? wireMessages(exchanges) : [];
  const record = { plan, history, verdict, title };
  if (watch === undefined) return { plan, record, traceHash, messages };
  const { keys, replication, votes } = watch;
  const whole = {
    messages: [...messages.map((message) => ({ ...message, keys: [...message.keys] }))],
    keys,
    replication,
    votes,
  };
  return { plan, record: { ...record, wire: boundedWire(whole, focusOf(verdict, history)) }, traceHash, messages };
}

/** The run, made without stacks; undefined where somebody wants to see one: after a crash, or a failure. */
async function withoutStack<T extends { readonly value: { readonly history: History } }>(
  run: (stacks: boolean) => Promise<T>,
): Promise<T | undefined> {
  try {
    const done = await run(false);
    return done.value.history.events.some(({ f }) => f === CLIENT_CRASH) ? undefined : done;
  } catch {
    return undefined;
  }
}

/**
 * The same run with the causes of its violations proven, as far as simulated runs of its plan with one thing changed
 * prove them. A run without a violation is returned as it is.
 */
export async function proveSimulated(
  run: SimulatedRun,
  { signal, ...options }: { readonly driver?: LockDriver | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<SimulatedRun> {
  const { plan, record } = run;
  const { history, verdict } = record;
  const driver = options.driver ?? (await simulatedDriver(plan.lock));
  const wire = await wireOf(run, driver, signal);
  const execute: ExecuteChanged = async ({ plan, standIn, alteration }) => {
    const altered = alteration === undefined ? driver : alteredDriver(driver, alteration);
    const moreFaults = [standIn];
    const { required } = verdict;
    const other = await runSimulated(plan, { title: "", required, driver: altered, moreFaults, signal });
    const judged = withoutStandIns(other.record.history);
    return { plan, history: judged, verdict: checkHistory(judged, { required }), traceHash: other.traceHash };
  };
  const proven = await proveCauses({ plan, history, verdict }, execute, wire);
  const control = await controlOf(run, proven, driver, signal);
  return { ...run, record: { ...record, verdict: proven, control, wire } };
}

/** The run once more with its wire; undefined where it is another run, as when a driver keeps state between runs. */
async function wireOf(
  { plan, traceHash, record: { verdict } }: SimulatedRun,
  driver: LockDriver,
  signal: AbortSignal | undefined,
): Promise<WireRecord | undefined> {
  const again = await runSimulated(plan, { title: "", required: verdict.required, driver, signal, wire: true });
  return again.traceHash === traceHash ? again.record.wire : undefined;
}

/** The run that proved the cause of a violation, of one by the lock itself if there is such; undefined if none did. */
async function controlOf(
  { plan }: SimulatedRun,
  verdict: Verdict,
  driver: LockDriver,
  signal: AbortSignal | undefined,
): Promise<Control | undefined> {
  const violations = PROPERTIES.flatMap((property) => verdict.properties[property]?.violations ?? []);
  const proven = violations.filter(({ proof }) => proof?.run !== undefined);
  const { proof } = proven.find(({ cause }) => cause !== "overrun") ?? proven[0] ?? {};
  const run = proof?.run === undefined ? undefined : changed(plan, proof.run.change);
  if (proof === undefined || run === undefined) return undefined;
  const altered = run.alteration === undefined ? driver : alteredDriver(driver, run.alteration);
  const { required } = verdict;
  const other = await runSimulated(run.plan, {
    title: "",
    required,
    driver: altered,
    moreFaults: [run.standIn],
    signal,
  });
  const { header, end, ...history } = withoutStandIns(other.record.history);
  // What was left out leaves gaps in the numbering, which a history may not have.
  const events = history.events.map((event, index) => ({ ...event, index }));
  const ending = end === undefined ? {} : { end: { ...end, index: events.length } };
  return { says: proof.by, history: { header: { ...header, title: proof.by }, ...history, events, ...ending } };
}

/**
 * The record of a run on real servers with its causes proven, where a simulated run of the same plan breaks in the same
 * way. A run of servers or locks that the simulation does not have is returned as it is.
 */
export async function proveBySimulation(record: RunRecord): Promise<RunRecord> {
  const { plan, history, verdict } = record;
  if (plan === undefined || !isSimulated(plan.topology.kind) || findWorker(plan.lock) !== undefined) return record;
  const title = record.title ?? plan.lock;
  const run = await proveSimulated(await runSimulated(plan, { title, required: verdict.required }));
  return { ...record, verdict: provenElsewhere({ plan, history, verdict }, { plan, ...run.record }) };
}

/** The history of a run that was interrupted, marked as such. */
export class InterruptedRunError extends Error {
  override readonly name = "InterruptedRunError";
  readonly #plan: Plan;
  readonly #history: History;

  constructor(plan: Plan, history: History) {
    super("the run was interrupted");
    this.#plan = plan;
    this.#history = history;
  }

  /** Creates a folder for the run, with its plan and its history so far. Returns the path of the history. */
  keep(store: string): string {
    using folder = RunFolder.create(store, this.#plan, new Date());
    folder.writeHistory(this.#history);
    return folder.historyFile;
  }
}

/** Keeps a simulated run in the usual form, and says how to replay it. */
export function keepSimulated({ record, traceHash, plan }: SimulatedRun, store: string): KeptRun {
  const { history, verdict } = record;
  return withVerdict(verdict, () => {
    using folder = RunFolder.create(store, plan, new Date());
    folder.writeHistory(history);
    folder.writeVerdict(verdict);
    folder.write("trace.json", `${JSON.stringify({ hash: traceHash })}\n`);
    writeWire(folder, record);
    const replayCommand = record.replayCommand ?? replayFromHere(folder.planFile);
    return { record: { ...record, replayCommand }, folder: folder.path };
  });
}
