import { count } from "../../../reports/wording.ts";
import { UserError } from "../../core/errors.ts";
import { printable, printableJson } from "../../core/printable.ts";
import { EXIT } from "../../core/verdict.ts";
import { deleteRun, type RecordedRun, recordedRuns, type RunSummary, summaryOf } from "../../run/recorded-runs.ts";
import { STORE } from "../../run/store.ts";
import { type Command, refuseOperands } from "../command.ts";
import { beside, paragraph } from "../output.ts";
import { requireStore } from "../store/read-store.ts";
import { print } from "../terminal.ts";
import { TerminalProgress } from "../terminal-progress.ts";
import { inFigures } from "../../core/words/in-figures.ts";

const VERDICTS = ["valid", "invalid", "unknown", "unfinished"] as const;
const DEFAULT_LAST = "20";

/** `lockstorm runs`: the recorded runs, the newest first; and the deletion of old ones. */
export const runs: Command = {
  name: "runs",
  summary: "list recorded runs, or delete old ones",
  operands: "",
  flags: {
    last: { value: "number", help: "how many to list at most", default: DEFAULT_LAST },
    lock: { value: "lock", help: "only runs of this lock" },
    verdict: { value: "verdict", help: `only runs with this verdict: ${VERDICTS.join(", ")}`, choices: VERDICTS },
    "older-than": { value: "time", help: "only runs that began longer ago: 12h, 30d; a bare number is in days" },
    delete: {
      help: "delete all runs that --older-than selects, and say how many; replay by the folder of a deleted counterexample is no longer possible",
    },
    store: { value: "folder", help: "where runs are recorded", default: STORE },
    json: { help: "print the runs as JSON" },
  },
  examples: [
    "lockstorm runs",
    "lockstorm runs --verdict invalid --lock redlock",
    "lockstorm runs --older-than 30d --verdict valid --delete",
  ],
  exits: {
    valid: "listed or deleted",
  },
  run: async ({ operands, flags, signal }) => {
    refuseOperands("runs", operands, "name the folder with --store");
    const olderThanMs = flags.durationMs("older-than", "d");
    if (flags.on("delete") && olderThanMs === undefined) {
      throw new UserError("--delete needs --older-than", "say which runs: --older-than 30d");
    }
    const wanted = {
      before: olderThanMs === undefined ? Infinity : Date.now() - olderThanMs,
      lock: flags.text("lock"),
      verdict: flags.choice("verdict", VERDICTS),
    };
    const store = flags.text("store") ?? STORE;
    requireStore(store);
    if (flags.on("delete")) return deleteAll(store, wanted, { json: flags.on("json"), signal });
    const all = recordedRuns(store);
    const last = flags.integer("last", 1) ?? Number(DEFAULT_LAST);
    const listed: ListedRun[] = [];
    let unreadable = 0;
    for (const each of matching(all, wanted, () => (unreadable += 1))) {
      listed.push(each);
      if (listed.length === last || signal.aborted) break;
    }
    print(flags.on("json") ? printableJson(listed) : inWords(listed, { all: all.length, unreadable, store }));
    return EXIT.valid;
  },
};

/** A run with what it was. */
type ListedRun = RecordedRun & RunSummary;

interface Wanted {
  /** Runs that began before, in milliseconds since 1970. */
  readonly before: number;
  readonly lock: string | undefined;
  readonly verdict: RunSummary["verdict"] | undefined;
}

/**
 * The runs that are wanted, each read when it is asked for.
 * @param onUnreadable called for each run that cannot be read
 */
function* matching(
  all: readonly RecordedRun[],
  { before, lock, verdict }: Wanted,
  onUnreadable?: () => unknown,
): Generator<ListedRun> {
  for (const run of all) {
    if (run.begunAt.getTime() >= before) continue;
    const summary = readable(run);
    if (summary === undefined) {
      onUnreadable?.();
      continue;
    }
    if (summary.lock === (lock ?? summary.lock) && summary.verdict === (verdict ?? summary.verdict))
      yield { ...run, ...summary };
  }
}

/** What a run was; undefined when its folder holds none: `lockstorm open` says why. */
function readable({ folder }: RecordedRun): RunSummary | undefined {
  try {
    return summaryOf(folder);
  } catch {
    return undefined;
  }
}

async function deleteAll(
  store: string,
  wanted: Wanted,
  { json, signal }: { readonly json: boolean; readonly signal: AbortSignal },
): Promise<number> {
  using progress = new TerminalProgress();
  const { lock, verdict, before } = wanted;
  const old = recordedRuns(store).filter(({ begunAt }) => begunAt.getTime() < before);
  // Without another condition, nothing has to be read.
  const chosen = lock === undefined && verdict === undefined ? old : matching(old, wanted);
  let deleted = 0;
  for (const run of chosen) {
    if (signal.aborted) break;
    if (!(await deleteRun(run))) continue;
    deleted += 1;
    if (deleted % 500 === 0) progress.step(`deleted ${inFigures(deleted)} runs`);
  }
  progress[Symbol.dispose]();
  print(json ? printableJson({ deleted }) : `Deleted ${count(deleted, "run")} of ${printable(store)}.\n`);
  return EXIT.valid;
}

interface Looked {
  readonly all: number;
  readonly unreadable: number;
  readonly store: string;
}

function inWords(listed: readonly ListedRun[], { all, unreadable, store }: Looked): string {
  const where = printable(store);
  if (all === 0) return `No run is recorded in ${where}.\n`;
  if (listed.length === 0) {
    const rest = unreadable === 0 ? "" : `, ${inFigures(unreadable)} of them not readable: lockstorm open says why`;
    return `No such run is recorded in ${where} (${count(all, "run")} in all${rest}).\n`;
  }
  const lines = listed.map(({ folder, begunAt, lock, topology, verdict, violated }) => {
    const date = begunAt.toISOString().slice(0, 19).replace("T", " ");
    // Spaces that a line must not break at, nor lose.
    const what = `${printable(lock)} on ${printable(topology)}\u{a0}\u{a0}${verdict}${printable(brokenInWords(verdict, violated))}`;
    return `${beside(`${date}  `, what).replaceAll("\u{a0}", " ")}  ${printable(folder)}\n`;
  });
  const end = `${inFigures(listed.length)} of ${count(all, "run")}, the newest first. Look at one: npx lockstorm report <folder>`;
  return `${lines.join("")}\n${paragraph(end)}\n`;
}

/** The properties that a run violates. A run that is not invalid may violate some, which were not required. */
function brokenInWords(verdict: RunSummary["verdict"], violated: readonly string[]): string {
  if (violated.length === 0) return "";
  const names = violated.join(", ");
  return verdict === "invalid" ? `: ${names}` : ` (not required and broken: ${names})`;
}
