import { closeSync, existsSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { messageOf, UserError } from "../core/errors.ts";

const FORMAT = "lockstorm-campaign";
const VERSION = 1;

const shardSchema = z.strictObject({ index: z.int().positive(), count: z.int().positive() });

/** One part of a campaign: the `index`-th, from 1, of `count`. */
export type Shard = z.infer<typeof shardSchema>;

const parametersSchema = z.record(z.string(), z.json());

/** Everything that the outcome of a campaign depends on, but for the locks' own code. */
export type CampaignParameters = z.infer<typeof parametersSchema>;

const headerSchema = z.looseObject({
  format: z.literal(FORMAT, `a campaign's journal says "format":"${FORMAT}"`),
  version: z.literal(VERSION, `this lockstorm reads version ${VERSION}`),
  kind: z.enum(["ladder", "hunt"]),
  parameters: parametersSchema,
  shard: shardSchema.optional(),
});

/** What a campaign is: the first line of its journal. */
export interface CampaignIdentity {
  readonly kind: "ladder" | "hunt";
  readonly parameters: CampaignParameters;
  /** Absent for a whole campaign. */
  readonly shard?: Shard | undefined;
}

/** What a journal file says. */
export interface JournalContent<Entry> {
  readonly file: string;
  readonly identity: CampaignIdentity;
  readonly entries: readonly Entry[];
}

/** Where the journals of a store lie. */
export function journalFolder(store: string): string {
  return join(store, "campaigns");
}

/**
 * The journal of a campaign, JSON lines: what it is, then one line for each piece of work that is done. A line is
 * written at once, so it survives the harness, whatever ends it; a piece whose line is missing or torn was not done.
 */
export class CampaignJournal<Entry> implements Disposable {
  /** The folder of results that it belongs to. */
  readonly store: string;
  /** What was done before it was resumed. */
  readonly former: readonly Entry[];
  readonly #file: number;

  private constructor(store: string, file: number, former: readonly Entry[]) {
    this.store = store;
    this.#file = file;
    this.former = former;
  }

  /**
   * Opens `<store>/campaigns/<name>.jsonl`: anew, or after its last whole line when `resume` is set and it is there.
   * @throws UserError when what is there is another campaign, or cannot be read or written
   */
  static open<Entry>(
    store: string,
    name: string,
    identity: CampaignIdentity,
    { resume, schema }: { readonly resume: boolean; readonly schema: z.ZodType<Entry> },
  ): CampaignJournal<Entry> {
    const path = journalFile(store, name, identity.shard);
    const known = resume && isBegun(path) ? readJournal(path, schema) : undefined;
    if (known !== undefined) mustBeSame(known, identity);
    try {
      mkdirSync(dirname(path), { recursive: true });
      // What follows a torn line would be lost with it.
      if (known !== undefined) truncateSync(path, readFileSync(path).lastIndexOf("\n") + 1);
      const journal = new CampaignJournal(store, openSync(path, known === undefined ? "w" : "a"), known?.entries ?? []);
      if (known === undefined) journal.#write({ format: FORMAT, version: VERSION, ...identity });
      return journal;
    } catch (error) {
      throw new UserError(`the campaign cannot be recorded in ${store}: ${messageOf(error)}`, "make it writable", {
        cause: error,
      });
    }
  }

  /** Records a piece of work that is done. */
  append(entry: Entry): void {
    this.#write(entry);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #write(value: unknown): void {
    writeSync(this.#file, `${JSON.stringify(value)}\n`);
  }
}

/**
 * Reads a journal; a last line without an end is left out.
 * @throws UserError naming file and line
 */
export function readJournal<Entry>(file: string, schema: z.ZodType<Entry>): JournalContent<Entry> {
  const [first = "", ...rest] = readFileSync(file, "utf8").split("\n").slice(0, -1);
  const header = parse(file, 1, first, headerSchema);
  const { kind, parameters, shard } = header;
  return {
    file,
    identity: { kind, parameters, ...(shard === undefined ? {} : { shard }) },
    entries: rest.map((line, index) => parse(file, index + 2, line, schema)),
  };
}

/** What the campaign of that name in a store is; undefined when there is none. @throws UserError for a broken journal */
export function findIdentity(store: string, name: string, shard: Shard | undefined): CampaignIdentity | undefined {
  const path = journalFile(store, name, shard);
  return isBegun(path) ? readJournal(path, z.unknown()).identity : undefined;
}

/** What two campaigns differ in, in words; undefined when they are one, shards aside. */
export function differenceOf(one: CampaignIdentity, other: CampaignIdentity): string | undefined {
  if (one.kind !== other.kind) return `${one.kind} and ${other.kind}`;
  const names = new Set([...Object.keys(one.parameters), ...Object.keys(other.parameters)]);
  for (const name of names) {
    const [left, right] = [one, other].map(({ parameters }) => JSON.stringify(parameters[name]) ?? "nothing");
    if (left !== right) return `${name} ${left} and ${right}`;
  }
  return undefined;
}

function mustBeSame({ file, identity }: JournalContent<unknown>, wanted: CampaignIdentity): void {
  const difference = differenceOf(identity, wanted);
  if (difference === undefined) return;
  throw new UserError(
    `${file} is of another campaign (${difference}) and cannot be resumed with these flags`,
    "give the flags that it began with, leave --resume out, or name another --store",
  );
}

function parse<T>(file: string, line: number, text: string, schema: z.ZodType<T>): T {
  const mend = "give a folder of results that lockstorm wrote, or hunt without --resume";
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${file}, line ${line} is not JSON: ${messageOf(error)}`, mend, { cause: error });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UserError(
    `${file}, line ${line} is no part of a campaign: ${issue?.path.map(String).join(".")}: ${issue?.message}`,
    mend,
  );
}

/** Whether there is a journal with at least its first line. */
function isBegun(path: string): boolean {
  return existsSync(path) && readFileSync(path).includes("\n");
}

function journalFile(store: string, name: string, shard: Shard | undefined): string {
  const part = shard === undefined ? "" : `-${shard.index}-of-${shard.count}`;
  return join(journalFolder(store), `${name}${part}.jsonl`);
}
