// First: it patches the platform, and libraries store functions of the platform when they are loaded.
import { keepSimulated, proveSimulated, runSimulated, type SimulatedRun } from "../run-simulated.ts";
import { faults } from "../../../faults/registry.ts";
import type { Plan } from "../../core/plan.ts";
import type { RunNote } from "../../core/run-note.ts";
import type { Property } from "../../core/verdict.ts";
import { UserError } from "../../core/errors.ts";
import { countedVerdict } from "../notes/counted-verdict.ts";
import { type Basis, notesOf } from "../notes/run-notes.ts";
import { requiredProperties } from "../required-properties.ts";
import { InputHistories } from "./input-histories.ts";
import { exploreLengths } from "./lengths.ts";
import { calmSince, classOf, leaseEnds } from "./schedule-class.ts";
import type { ScheduleOutcome } from "./outcome.ts";
import { deviate, type PlacedFamily, placedFamilies } from "./placed-families.ts";
import { pathText, type SchedulePath } from "./schedule-path.ts";
import { equalFamilies } from "./symmetry.ts";

/** What an exploration does, as data, so that it can be sent to another thread. */
export interface ExplorerWork {
  /** The workload: a plan without deviations. */
  readonly plan: Plan;
  readonly title: string;
  /** Kinds of faults that deviations are made of. */
  readonly kinds: readonly string[];
  /** The properties that decide. Absent: what the lock claims under the faults of each schedule. */
  readonly required?: readonly Property[] | undefined;
  readonly basis: Basis;
  readonly reductions: Reductions;
  readonly longestMs: number;
  readonly resolutionMs: number;
}

/** Which schedules are left out because others stand for them. */
export interface Reductions {
  /** A fault of one host is tried only where that host goes on; of schedules of one class one is extended. */
  readonly perHost: boolean;
  /** Of equal servers in an equal state one is hit. */
  readonly symmetry: boolean;
  /** One length on each side of each deadline. */
  readonly regions: boolean;
}

/** A schedule that was run. */
export interface ExploredSchedule {
  /** The length of its last deviation; absent if that has none. */
  readonly ms?: number;
  readonly outcome: ScheduleOutcome;
  readonly class: string;
  /** Nanoseconds: extensions after this are those of any other schedule of the class. Absent: there is no such time. */
  readonly calmNs?: number;
  readonly notes: readonly RunNote[];
}

/** What can follow a schedule. */
export interface Extensions {
  /** The schedule itself. */
  readonly schedule: ExploredSchedule;
  /** How many families its run has, those before its last deviation included. */
  readonly families: number;
  /** Indexes of the families to explore. */
  readonly kept: readonly number[];
  /** How many are left out because an equal server is hit instead. */
  readonly symmetric: number;
  /** How many are left out because another schedule of the class is extended by them. */
  readonly alike: number;
}

/** The schedules of one family that were run. */
export interface FamilyRuns {
  /** Shortest last deviation first. */
  readonly schedules: readonly ExploredSchedule[];
  /** Whether all of them were run. */
  readonly whole: boolean;
}

/** How a family is explored whose schedules may take longer than there is time for. */
export interface FamilyOptions {
  /** Its schedules that were run before. */
  readonly known?: readonly ExploredSchedule[] | undefined;
  /** Asked before each run; absent: always yes. */
  readonly mayRun?: (() => boolean) | undefined;
}

interface Explored {
  readonly run: SimulatedRun;
  readonly inputs: InputHistories;
  readonly schedule: ExploredSchedule;
  readonly families: readonly PlacedFamily[];
  /** The last deviation: what can follow comes after it. */
  readonly last: PlacedFamily | undefined;
}

/** Schedules whose runs stay in memory: neighbours extend the same one. */
const MOST_REMEMBERED = 8;

/** Runs schedules of one exploration by their paths. The same path gives the same run in every process. */
export class Explorer {
  readonly #work: ExplorerWork;
  readonly #faults;
  readonly #remembered = new Map<string, Explored>();

  constructor(work: ExplorerWork) {
    this.#work = work;
    this.#faults = faults.filter(({ kind }) => work.kinds.includes(kind));
  }

  /**
   * Runs a schedule, and says what can follow it.
   * @param calmNs present if another schedule of its class stands for what follows after this time
   */
  async extensionsOf(path: SchedulePath, calmNs = Infinity): Promise<Extensions> {
    const { families, schedule, last, inputs, run } = await this.#at(path);
    const { reductions } = this.#work;
    const after = [...families.keys()].filter((index) => follows(families[index], last));
    const equal = reductions.symmetry ? equalFamilies(families, { plan: run.plan, inputs }) : new Set<number>();
    const different = after.filter((index) => !equal.has(index));
    const kept = different.filter((index) => (families[index]?.moment.atNs ?? 0) <= calmNs);
    return {
      schedule,
      families: families.length,
      kept,
      symmetric: after.length - different.length,
      alike: different.length - kept.length,
    };
  }

  /** Runs the schedules of one family: what follows `path` by this deviation, with every length that matters. */
  async explore(path: SchedulePath, index: number, { known = [], mayRun }: FamilyOptions = {}): Promise<FamilyRuns> {
    const { run, families } = await this.#at(path);
    const family = families[index];
    if (family === undefined) throw noSchedule([...path, { family: index }]);
    const { longestMs, resolutionMs, reductions } = this.#work;
    if (!family.hasLength)
      return { schedules: [(await this.#run(deviate(run.plan, family, undefined))).schedule], whole: true };
    const { outcomes, whole } = await exploreLengths(
      async (lengthMs) => {
        const before = known.find(({ ms }) => ms === lengthMs);
        // Only the longest run is asked for its deadlines.
        if (before !== undefined && lengthMs !== longestMs)
          return { class: before.class, schedule: before, deadlinesMs: [] };
        const { schedule, run: deviated, inputs } = await this.#run(deviate(run.plan, family, lengthMs));
        return { class: schedule.class, schedule, deadlinesMs: deadlinesAfter(family, { run: deviated, inputs }) };
      },
      { mostMs: longestMs, resolutionMs, regions: reductions.regions, mayRun },
    );
    return { schedules: outcomes.map(([lengthMs, { schedule }]) => ({ ...schedule, ms: lengthMs })), whole };
  }

  /** Runs a schedule, proves its causes, and gives it a folder. Returns the folder. */
  async keep(path: SchedulePath, store: string): Promise<string> {
    const { run } = await this.#at(path);
    return keepSimulated(await proveSimulated(run), store).folder;
  }

  async #at(path: SchedulePath): Promise<Explored> {
    const name = pathText(path);
    const known = this.#remembered.get(name);
    if (known !== undefined) return known;
    const turn = path.at(-1);
    let last: PlacedFamily | undefined;
    let { plan } = this.#work;
    if (turn !== undefined) {
      const parent = await this.#at(path.slice(0, -1));
      last = parent.families[turn.family];
      if (last === undefined || last.hasLength !== (turn.lengthMs !== undefined)) throw noSchedule(path);
      plan = deviate(parent.run.plan, last, turn.lengthMs);
    }
    const done = await this.#run(plan);
    const { messages, record } = done.run;
    const { perHost } = this.#work.reductions;
    const families = placedFamilies({ plan, history: record.history, messages }, { faults: this.#faults, perHost });
    const explored = { ...done, families, last };
    this.#remembered.set(name, explored);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    return explored;
  }

  async #run(plan: Plan): Promise<Pick<Explored, "run" | "inputs" | "schedule">> {
    const { required, title, basis } = this.#work;
    const inputs = new InputHistories();
    const run = await runSimulated(plan, {
      title,
      required: required ?? requiredProperties(plan),
      inputs,
      messages: true,
    });
    const { history } = run.record;
    const verdict = countedVerdict(run.record.verdict, history);
    const notes = notesOf({ plan, history, verdict }, basis);
    const unpromised = verdict.verdict === "unknown" && notes.some(({ kind }) => kind === "nothing-promised");
    const calmNs = calmSince(plan, history);
    const schedule: ExploredSchedule = {
      outcome: unpromised ? "unpromised" : verdict.verdict,
      class: classOf({ plan, history, verdict, inputs }),
      ...(Number.isFinite(calmNs) ? { calmNs } : {}),
      notes,
    };
    return { run, inputs, schedule };
  }
}

/** What a deviation can outlast: inputs of clients, events of the history, ends of leases. */
function deadlinesAfter(
  { moment }: PlacedFamily,
  { run, inputs }: { readonly run: SimulatedRun; readonly inputs: InputHistories },
): readonly number[] {
  const { history } = run.record;
  const events = history.events.flatMap(({ type, time }) => (type === "fault" ? [] : [time]));
  const ofClients = inputs.timesOf((host) => host.startsWith("client-"));
  return [...events, ...ofClients, ...leaseEnds(history)].map((atNs) => (atNs - moment.atNs) / 1e6);
}

/** Whether a deviation comes after the last one of its schedule: so each set of deviations is tried in one order. */
function follows(family: PlacedFamily | undefined, last: PlacedFamily | undefined): boolean {
  if (family === undefined || last === undefined) return family !== undefined;
  const laterNs = family.moment.atNs - last.moment.atNs;
  return laterNs > 0 || (laterNs === 0 && isSame(family, last) && family.rank > last.rank);
}

function isSame(one: PlacedFamily, other: PlacedFamily): boolean {
  return JSON.stringify(one.moment.trigger) === JSON.stringify(other.moment.trigger);
}

function noSchedule(path: SchedulePath): UserError {
  return new UserError(
    `the exploration has no schedule ${pathText(path)}`,
    "give the flags with which the path was printed",
  );
}
