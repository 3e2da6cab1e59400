import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { BACKENDS } from "../../core/topologies/backend.ts";
import { durationMs } from "../../core/words/duration.ts";
import { UserError } from "../../core/errors.ts";
import { timelineOf } from "../../../reports/run/timeline.ts";
import { historyInput } from "../history-input.ts";
import { readHistory } from "../../run/read-history.ts";

const WHAT_A_LINE_IS = "write milliseconds or a number with a unit: 250 or 1.5s";

/** How long locks were held, in milliseconds. */
export interface HoldDurations {
  readonly durationsMs: readonly number[];
  /** How many further holds were cut off. */
  readonly cutOff: number;
  /** How many of the durations are of plans that lockstorm ran. */
  readonly planned: number;
}

/**
 * Reads holds from histories (`.jsonl`), run folders, stores, and lists of durations; `-` is standard input.
 * @throws UserError naming the source, and in a list the line, that is wrong
 */
export async function readHolds(sources: readonly string[]): Promise<HoldDurations> {
  const all: HoldDurations[] = [];
  // One after another, because a history may be large.
  for (const source of sources) {
    const histories = historiesOf(source);
    if (histories === undefined) all.push({ durationsMs: await readList(source), cutOff: 0, planned: 0 });
    else for (const history of histories) all.push(await holdsOf(history));
  }
  return {
    durationsMs: all.flatMap(({ durationsMs }) => durationsMs),
    cutOff: all.reduce((sum, { cutOff }) => sum + cutOff, 0),
    planned: all.reduce((sum, { planned }) => sum + planned, 0),
  };
}

/** The histories behind a path; undefined for a list of durations. */
function historiesOf(source: string): readonly string[] | undefined {
  if (source.endsWith(".jsonl")) return [source];
  if (source === "-" || !existsSync(source) || !statSync(source).isDirectory()) return undefined;
  if (existsSync(join(source, "history.jsonl"))) return [join(source, "history.jsonl")];
  const runs = join(source, "runs");
  const names = existsSync(runs) ? readdirSync(runs).toSorted() : [];
  const histories = names.map((name) => join(runs, name, "history.jsonl")).filter((path) => existsSync(path));
  if (histories.length > 0) return histories;
  throw new UserError(`${source} holds no recorded run`, "name a run's folder, a history.jsonl or a list of durations");
}

async function holdsOf(path: string): Promise<HoldDurations> {
  const history = await readHistory(path);
  const { holds } = timelineOf(history);
  const whole = holds.filter(({ endedBy }) => endedBy === "release");
  const durationsMs = whole.map(({ from, to }) => (to - from) / 1e6);
  const isPlanned = BACKENDS.some((backend) => backend === history.header["backend"]);
  return { durationsMs, cutOff: holds.length - whole.length, planned: isPlanned ? whole.length : 0 };
}

async function readList(source: string): Promise<readonly number[]> {
  const input = historyInput(source);
  if (input.file?.isCharacterDevice() === true && source !== "-") refuse(source, 1, "a device");
  const durations: number[] = [];
  let number = 0;
  for await (const line of createInterface({ input: Readable.from(input.chunks()), crlfDelay: Infinity })) {
    number += 1;
    if (/[\0\uFFFD]/.test(line)) throw new UserError(`${input.source}, line ${number}: not UTF-8 text`, WHAT_A_LINE_IS);
    const words = line.replace(/#.*$/, "").trim();
    for (const word of words === "" ? [] : words.split(/[\s,;]+/)) {
      durations.push(durationMs(word, "ms") ?? refuse(input.source, number, word));
    }
  }
  return durations;
}

function refuse(source: string, line: number, word: string): never {
  throw new UserError(`${source}, line ${line}: "${word.slice(0, 40)}" is not a duration`, WHAT_A_LINE_IS);
}
