import { z } from "zod";
import { NOTE_KINDS } from "../../core/run-note.ts";
import { type TalliedNote, tally } from "../notes/tally.ts";
import type { Shard } from "../campaign-journal.ts";
import { isInShard } from "../shard.ts";
import { OUTCOMES, type ScheduleOutcome } from "./outcome.ts";
import { pathText, type SchedulePath } from "./schedule-path.ts";

const path = z.string().describe("the deviations of a schedule; empty for the workload as it is");
const count = z.int().nonnegative();
const noteSchema = z.strictObject({ kind: z.enum(NOTE_KINDS), what: z.string() });

/** A schedule: its length, if it has one; its outcome; its class; and since when, in nanoseconds, it is calm. */
const scheduleSchema = z.strictObject({
  ms: z.number().exactOptional(),
  outcome: z.enum(OUTCOMES),
  class: z.string(),
  calmNs: z.number().exactOptional(),
  notes: z.array(noteSchema).readonly().exactOptional(),
});

/** A schedule whose extensions are known. */
const openedSchema = z.strictObject({
  opened: path,
  schedule: scheduleSchema,
  families: count.describe("deviations that its run has, before their lengths"),
  kept: z.array(count).readonly().describe("which of them to explore"),
  symmetric: count.describe("left out: an equal server is hit instead"),
  alike: count.describe("left out: explored from another schedule of the same class"),
});

/** A deviation that was explored with every length that matters, or with some of them. */
const exploredSchema = z.strictObject({
  extended: path,
  family: count,
  schedules: z.array(scheduleSchema).readonly(),
  partial: z.literal(true).optional().describe("the budget was used up before all lengths were run"),
});

const keptSchema = z.strictObject({
  broken: path,
  folder: z.string().describe("the run's, from the folder of results"),
});

export const exploreEntrySchema = z.union([openedSchema, exploredSchema, keptSchema]);
export type ExploreEntry = z.infer<typeof exploreEntrySchema>;
export type Opened = z.infer<typeof openedSchema>;
export type ExploredFamily = z.infer<typeof exploredSchema>;
type ScheduleEntry = z.infer<typeof scheduleSchema>;

/** Everything that decides the outcome of an exploration. Unknown fields are compared, but not interpreted. */
export const exploreParametersSchema = z.looseObject({
  lock: z.string(),
  topology: z.looseObject({ kind: z.string() }),
  faults: z.array(z.string()),
  deviations: count,
  seed: count,
  reduction: z.boolean(),
  resolutionMs: z.number(),
  longestMs: z.number(),
  keepGoing: z.boolean(),
  workload: z.string(),
});
export type ExploreParameters = z.infer<typeof exploreParametersSchema>;

/** What an exploration found among the schedules with the same number of deviations. */
export interface LevelFindings {
  readonly deviations: number;
  readonly schedules: number;
  /** Classes of schedules that no level before had. */
  readonly newClasses: number;
  /** Deviations before their lengths. */
  readonly families: number;
  /** Of these, those that were not explored wholly: the exploration ended before. */
  readonly missing: number;
  readonly symmetric: number;
  readonly alike: number;
}

/** The outcome of an exploration, in one store or merged from several. */
export interface ExploreFindings {
  readonly parameters: ExploreParameters;
  readonly levels: readonly LevelFindings[];
  readonly schedules: number;
  readonly classes: number;
  readonly outcomes: Readonly<Record<ScheduleOutcome, number>>;
  readonly notes: readonly TalliedNote[];
  /** Whether every schedule within the bound was run, or one of its class. */
  readonly complete: boolean;
  /** The first schedule that breaks the lock. */
  readonly broken?: { readonly path: string; readonly folder?: string | undefined } | undefined;
}

/** A schedule with its path. */
export interface PathedSchedule extends ScheduleEntry {
  readonly path: SchedulePath;
}

/** The work done so far, by its path. */
export class ExploreRecord {
  readonly #opened = new Map<string, Opened>();
  readonly #explored = new Map<string, ExploredFamily>();
  readonly #folders = new Map<string, string>();

  constructor(entries: readonly ExploreEntry[] = []) {
    for (const entry of entries) this.add(entry);
  }

  add(entry: ExploreEntry): void {
    if ("opened" in entry) this.#opened.set(entry.opened, entry);
    else if ("extended" in entry) this.#explored.set(`${entry.extended} ${entry.family}`, entry);
    else this.#folders.set(entry.broken, entry.folder);
  }

  opened(parent: SchedulePath): Opened | undefined {
    return this.#opened.get(pathText(parent));
  }

  explored(parent: SchedulePath, family: number): ExploredFamily | undefined {
    return this.#explored.get(`${pathText(parent)} ${family}`);
  }

  folderOf(path: string): string | undefined {
    return this.#folders.get(path);
  }
}

/** What follows a schedule by one deviation. */
export interface LevelPart {
  readonly parent: SchedulePath;
  readonly family: number;
  /** Absent: it was not begun. */
  readonly explored: ExploredFamily | undefined;
}

/** Whether schedules of a part remain to be run. */
export function isUnfinished({ explored }: LevelPart): boolean {
  return explored === undefined || explored.partial === true;
}

/** A level of an exploration: its parents in order, with what was explored from each. */
export interface Level {
  readonly deviations: number;
  readonly parents: readonly { readonly path: SchedulePath; readonly opened: Opened | undefined }[];
  /** In order. */
  readonly parts: readonly LevelPart[];
  /** In order: by parent, family, length. */
  readonly schedules: readonly PathedSchedule[];
}

/** What can be extended, in order: a schedule, and since when another schedule of its class stands for its extensions. */
export interface Parent {
  readonly path: SchedulePath;
  readonly calmNs?: number | undefined;
}

/** One level, as far as it is recorded. */
export function levelOf(record: ExploreRecord, parents: readonly Parent[], deviations: number): Level {
  const known = parents.map(({ path }) => ({ path, opened: record.opened(path) }));
  const parts = known.flatMap(({ path, opened }) =>
    (opened?.kept ?? []).map((family) => ({ parent: path, family, explored: record.explored(path, family) })),
  );
  const schedules = parts.flatMap(({ parent, family, explored }) =>
    (explored?.schedules ?? []).map((schedule) => ({
      ...schedule,
      path: [...parent, { family, lengthMs: schedule.ms }],
    })),
  );
  return { deviations, parents: known, parts, schedules };
}

/**
 * The schedules to extend. Of a class only the first is extended everywhere; the others where their last fault still
 * matters by itself. What breaks the lock is not extended: fewer deviations are enough.
 * @param seen the classes of the levels before; those of this level are added
 */
export function parentsAfter(
  schedules: readonly PathedSchedule[],
  seen: Set<string>,
  alike: boolean,
): readonly Parent[] {
  return schedules.flatMap(({ path, outcome, class: name, calmNs }): readonly Parent[] => {
    const known = alike && seen.has(name);
    seen.add(name);
    if (outcome === "invalid") return [];
    return [{ path, calmNs: known ? calmNs : undefined }];
  });
}

/**
 * The outcome of the recorded work. Where it ends with the first schedule that breaks the lock, only the work before
 * that one counts, even where another worker got further: an undivided exploration on one core would have ended there.
 * @param shard the part of the last level that there should be
 */
export function findingsOf(
  parameters: ExploreParameters,
  record: ExploreRecord,
  shard: Shard | undefined,
): ExploreFindings {
  const prunes = parameters.reduction;
  const seen = new Set<string>();
  const levels: LevelFindings[] = [];
  const counted: PathedSchedule[] = [];
  const base = record.opened([])?.schedule;
  if (base !== undefined) counted.push({ ...base, path: [] });
  let broken = counted.find(({ outcome }) => outcome === "invalid");
  let complete = base !== undefined;
  let parents = base === undefined ? [] : parentsAfter(counted, seen, prunes);
  for (let deviations = 1; deviations <= parameters.deviations && parents.length > 0; deviations += 1) {
    if (broken !== undefined && !parameters.keepGoing) break;
    const level = levelOf(record, parents, deviations);
    const found = level.schedules.findIndex(({ outcome }) => outcome === "invalid");
    broken ??= level.schedules[found];
    const isEnd = found !== -1 && !parameters.keepGoing;
    const schedules = isEnd ? level.schedules.slice(0, found + 1) : level.schedules;
    const before = seen.size;
    parents = parentsAfter(schedules, seen, prunes);
    const mine = level.parts.filter((_, position) => deviations < parameters.deviations || isInShard(position, shard));
    const missing = isEnd ? 0 : mine.filter(isUnfinished).length;
    const unopened = level.parents.filter(({ opened }) => opened === undefined).length;
    complete &&= missing === 0 && unopened === 0;
    // One by one: a call takes a limited number of arguments.
    for (const schedule of schedules) counted.push(schedule);
    const sum = (of: (opened: Opened) => number): number =>
      level.parents.reduce((total, { opened }) => total + (opened === undefined ? 0 : of(opened)), 0);
    levels.push({
      deviations,
      schedules: schedules.length,
      newClasses: seen.size - before,
      families: mine.length,
      missing,
      symmetric: sum(({ symmetric }) => symmetric),
      alike: sum(({ alike }) => alike),
    });
    if (!complete) break;
  }
  const total = (outcome: ScheduleOutcome): number => counted.filter((each) => each.outcome === outcome).length;
  const [valid, unknown, unpromised, invalid] = OUTCOMES.map(total);
  const folder = broken === undefined ? undefined : record.folderOf(pathText(broken.path));
  return {
    parameters,
    levels,
    schedules: counted.length,
    classes: seen.size,
    outcomes: { valid: valid ?? 0, unknown: unknown ?? 0, unpromised: unpromised ?? 0, invalid: invalid ?? 0 },
    notes: tally(counted.filter(({ outcome }) => outcome !== "invalid")),
    complete: complete && (broken === undefined || parameters.keepGoing),
    broken: broken && { path: pathText(broken.path), folder },
  };
}
