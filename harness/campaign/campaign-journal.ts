import { closeSync, existsSync, ftruncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { mendOfWriting, systemReason } from "../core/system-reason.ts";
import { appendWhole, makeFolder, openForLines } from "../run/output-file.ts";
import { endOfWholeLines, wholeLines } from "../run/whole-lines.ts";
import { messageOf, UserError } from "../core/errors.ts";
import { type ElapsedMs, WorkTimes } from "./times/work-times.ts";

const FORMAT = "lockstorm-campaign";
const VERSION = 1;
const FOLDER_OF_RESULTS = "give a folder of results that lockstorm wrote, or hunt without --resume";

const CAMPAIGN_KINDS = ["ladder", "hunt", "exploration"] as const;

const shardSchema = z.strictObject({ index: z.int().positive(), count: z.int().positive() });

/** One part of a campaign: number `index`, from 1, of `count`. */
export type Shard = z.infer<typeof shardSchema>;

const parametersSchema = z.record(z.string(), z.json());

/** Everything that decides the outcome of a campaign, except the locks' own code. */
export type CampaignParameters = z.infer<typeof parametersSchema>;

const headerSchema = z.looseObject({
  format: z.literal(FORMAT, `a campaign's journal says "format":"${FORMAT}"`),
  version: z.literal(VERSION, `this lockstorm reads version ${VERSION}`),
  kind: z.enum(CAMPAIGN_KINDS),
  parameters: parametersSchema,
  shard: shardSchema.optional(),
});

/** The description of a campaign: the first line of its journal. */
export interface CampaignIdentity {
  readonly kind: (typeof CAMPAIGN_KINDS)[number];
  readonly parameters: CampaignParameters;
  /** Absent for a whole campaign. */
  readonly shard?: Shard | undefined;
}

/** The content of a journal file. */
export interface JournalContent<Entry> {
  readonly file: string;
  readonly identity: CampaignIdentity;
  readonly entries: readonly Entry[];
}

/** The folder of a store's journals. */
export function journalFolder(store: string): string {
  return join(store, "campaigns");
}

/**
 * The journal of a campaign, as JSON lines: its description, then one line for each finished piece of work. Each line
 * is written at once, so it survives the end of the harness; a piece whose line is missing or torn was not finished.
 */
export class CampaignJournal<Entry> implements Disposable {
  /** The folder of results that it belongs to. */
  readonly store: string;
  /** The work that was done before it was resumed; empty where it was handed over one by one. */
  readonly former: readonly Entry[];
  readonly #file: number;
  readonly #times: WorkTimes;

  private constructor(
    { store, file, times }: { store: string; file: number; times: WorkTimes },
    former: readonly Entry[],
  ) {
    this.store = store;
    this.#file = file;
    this.#times = times;
    this.former = former;
  }

  /**
   * Opens `<store>/campaigns/<name>.jsonl`: empty, or after its last whole line when `resume` is set and the file
   * exists.
   * @param onFormer is handed the work that was done before, one by one, instead of `former`: it may be millions of runs
   * @throws UserError when the file belongs to another campaign, or cannot be read or written
   */
  static open<Entry>(
    store: string,
    name: string,
    identity: CampaignIdentity,
    {
      resume,
      schema,
      onFormer,
    }: {
      readonly resume: boolean;
      readonly schema: z.ZodType<Entry>;
      readonly onFormer?: ((entry: Entry) => void) | undefined;
    },
  ): CampaignJournal<Entry> {
    const path = journalFile(store, name, identity.shard);
    const known = resume && isBegun(path);
    const former: Entry[] = [];
    if (known) {
      mustBeSame(path, readIdentity(path), identity);
      for (const entry of journalEntries(path, schema)) (onFormer ?? ((each) => former.push(each)))(entry);
    }
    try {
      makeFolder(dirname(path));
      const file = openForLines(path, !known);
      // Text after a torn line would be lost with it.
      if (known) ftruncateSync(file, endOfWholeLines(path));
      const times = new WorkTimes(path, !known);
      const journal = new CampaignJournal({ store, file, times }, former);
      if (!known) journal.#write({ format: FORMAT, version: VERSION, ...identity });
      return journal;
    } catch (error) {
      throw unrecorded(store, error);
    }
  }

  /**
   * Records a finished piece of work.
   * @throws UserError when it cannot be written
   */
  append(entry: Entry): void {
    try {
      this.#write(entry);
    } catch (error) {
      throw unrecorded(this.store, error);
    }
  }

  /**
   * Records how long a piece of work took, or a part of it.
   * @throws UserError when it cannot be written
   */
  took(work: number, elapsedMs: number): void {
    try {
      this.#times.add(work, elapsedMs);
    } catch (error) {
      throw unrecorded(this.store, error);
    }
  }

  /** How long the work took, including what was done before it was resumed. */
  get elapsed(): ElapsedMs {
    return this.#times.elapsed;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
    this.#times[Symbol.dispose]();
  }

  #write(value: unknown): void {
    appendWhole(this.#file, `${JSON.stringify(value)}\n`);
  }
}

/**
 * Reads a journal; an unterminated last line is left out.
 * @throws UserError naming file and line
 */
export function readJournal<Entry>(file: string, schema: z.ZodType<Entry>): JournalContent<Entry> {
  return { file, identity: readIdentity(file), entries: [...journalEntries(file, schema)] };
}

/**
 * The description of the campaign that a journal belongs to. Reads no more than that.
 * @throws UserError naming file and line
 */
export function readIdentity(file: string): CampaignIdentity {
  const [first = ""] = linesOf(file).take(1);
  const { kind, parameters, shard } = parse(file, 1, first, headerSchema);
  return { kind, parameters, shard };
}

/**
 * The entries of a journal, each read when it is asked for; an unterminated last line is left out.
 * @throws UserError naming file and line
 */
export function* journalEntries<Entry>(file: string, schema: z.ZodType<Entry>): Generator<Entry> {
  let line = 0;
  for (const text of linesOf(file)) {
    line += 1;
    if (line > 1) yield parse(file, line, text, schema);
  }
}

/**
 * The description of the campaign of that name in a store; undefined when there is none.
 * @throws UserError for a broken journal
 */
export function findIdentity(store: string, name: string, shard: Shard | undefined): CampaignIdentity | undefined {
  const path = journalFile(store, name, shard);
  return isBegun(path) ? readIdentity(path) : undefined;
}

/** How two campaigns differ, in words; undefined when they are the same, shards aside. */
export function differenceOf(one: CampaignIdentity, other: CampaignIdentity): string | undefined {
  if (one.kind !== other.kind) return `${one.kind} and ${other.kind}`;
  const names = new Set([...Object.keys(one.parameters), ...Object.keys(other.parameters)]);
  for (const name of names) {
    const [left, right] = [one, other].map(({ parameters }) => JSON.stringify(parameters[name]) ?? "nothing");
    if (left === right) continue;
    // Its value is a hash, which says nothing to a reader.
    return name === "driver" ? "the code of the driver differs" : `${name} ${left} and ${right}`;
  }
  return undefined;
}

function* linesOf(file: string): Generator<string> {
  try {
    yield* wholeLines(file);
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${systemReason(error)}`, FOLDER_OF_RESULTS, { cause: error });
  }
}

function unrecorded(store: string, error: unknown): UserError {
  const why = error instanceof UserError ? error.message : systemReason(error);
  return new UserError(`cannot record the campaign in ${store}: ${why}`, mendOfWriting(error), { cause: error });
}

function mustBeSame(file: string, identity: CampaignIdentity, wanted: CampaignIdentity): void {
  const difference = differenceOf(identity, wanted);
  if (difference === undefined) return;
  throw new UserError(
    `${file} belongs to another campaign (${difference}) and cannot be resumed with these flags`,
    "give the flags of that campaign, leave out --resume, or name another --store",
  );
}

function parse<T>(file: string, line: number, text: string, schema: z.ZodType<T>): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${file}, line ${line} is not JSON: ${messageOf(error)}`, FOLDER_OF_RESULTS, { cause: error });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UserError(
    `${file}, line ${line} is not part of a campaign: ${issue?.path.map(String).join(".")}: ${issue?.message}`,
    FOLDER_OF_RESULTS,
  );
}

/** Whether there is a journal with at least its first line. */
function isBegun(path: string): boolean {
  return existsSync(path) && wholeLines(path).take(1).toArray().length > 0;
}

function journalFile(store: string, name: string, shard: Shard | undefined): string {
  const part = shard === undefined ? "" : `-${shard.index}-of-${shard.count}`;
  return join(journalFolder(store), `${name}${part}.jsonl`);
}
