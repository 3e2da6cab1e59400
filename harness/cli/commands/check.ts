import { allCheckers } from "../../check/checkers.ts";
import { checkStream } from "../../check/check-stream.ts";
import { collectGarbageEarly } from "../../check/heap-growth.ts";
import { HISTORY_FORMATS, type HistoryFormat } from "../../history/history-stream.ts";
import { LOCK_MODELS, type LockModelName } from "../../check/linearizability/lock-models.ts";
import { UserError } from "../../core/errors.ts";
import { isSameFile } from "../../run/output-file.ts";
import type { HistoryEvent } from "../../history/history.ts";
import { PROPERTIES } from "../../core/verdict.ts";
import type { Command, CommandInput, Flags } from "../command.ts";
import type { HistoryInput } from "../../run/history-input.ts";
import { historyInput } from "../history-input.ts";
import { exitCode, printRun } from "../output.ts";
import { EdnFile } from "./check-edn.ts";
import { CheckProgress } from "./check-progress.ts";

/** A history up to this length is kept for its picture; for a longer one only the verdict is printed. */
const KEPT_EVENTS = 20_000;

const SHORT_MODELS = LOCK_MODELS.map((name) => name.replace(/-mutex$/, ""));

/** `lockstorm check`: the verdict on a recorded history, from any source. */
export const check: Command = {
  name: "check",
  summary: "judge a recorded history (a file, or - for standard input), of any length",
  operands: "<history.jsonl | history.edn | ->",
  flags: {
    property: {
      value: "property",
      repeatable: true,
      help: `judge only this property; can be repeated: ${PROPERTIES.join(", ")}`,
      choices: PROPERTIES,
    },
    require: {
      value: "properties",
      help: "properties that decide the verdict, separated by commas (default: all judged properties)",
      choices: PROPERTIES,
    },
    model: {
      value: "model",
      help: `model for linearizability: ${SHORT_MODELS.join(", ")} (mutex: without owners, any client may release)`,
      default: "reentrant-fenced",
      choices: SHORT_MODELS,
    },
    "observe-contention": {
      help: "treat a contended refusal as proof that some client held the lock; otherwise a refusal proves nothing",
    },
    format: {
      value: "format",
      help: `${HISTORY_FORMATS.join(", ")}: format of the history (auto: by its name and first line)`,
      default: "auto",
      choices: HISTORY_FORMATS,
    },
    "write-edn": { value: "file", help: "also write the history as Jepsen's history.edn, for other checkers" },
    json: { help: "print the verdict as JSON" },
  },
  examples: [
    "lockstorm check history.jsonl",
    "lockstorm check - --json < history.jsonl",
    "lockstorm check history.jsonl --property mutual-exclusion --property lease-exclusion",
    "lockstorm check history.edn --property linearizability --model owner-aware --observe-contention",
    "lockstorm check history.jsonl --write-edn history.edn",
  ],
  exits: {
    valid: "the history violates no required property",
    invalid: "the history proves a violation",
    unknown: "the history decides neither, or is incomplete",
  },
  run: runCheck,
};

async function runCheck({ operands, flags, signal }: CommandInput): Promise<number> {
  const [path] = operands;
  if (path === undefined || operands.length > 1) {
    throw new UserError("check takes one history", "give a history.jsonl, or - for standard input");
  }
  const properties = flags.list("property", PROPERTIES) ?? PROPERTIES;
  const required = flags.list("require", properties) ?? properties;
  const linearizability = { model: modelOf(flags), observeContention: flags.on("observe-contention") };
  const options = {
    ...linearizability,
    checkers: allCheckers(linearizability).filter(({ property }) => properties.includes(property)),
    required,
    foreign: true,
    format: formatOf(flags, path),
  };
  const edn = flags.text("write-edn");
  const kept = new KeptEvents(flags.on("json") ? 0 : KEPT_EVENTS);
  const input = historyInput(path, signal);
  if (edn !== undefined) mustBeAnother(edn, input);
  const { header, events, verdict, ending } = await judge(
    input,
    options,
    edn === undefined ? undefined : new EdnFile(edn),
    kept,
  );
  const record = {
    history: { header, events: kept.events, ...ending },
    verdict,
    title: input.source,
    omittedEvents: kept.events.length < events ? events : undefined,
  };
  printRun({ record }, flags.on("json"));
  return exitCode(verdict);
}

/** Also when it has another name: a link, a second name of the same file, standard input. */
function mustBeAnother(edn: string, input: HistoryInput): void {
  if (isSameFile(input.file, edn)) {
    throw new UserError("--write-edn would overwrite the history that is read", "name another file");
  }
}

async function judge(
  input: HistoryInput,
  options: Parameters<typeof checkStream>[2],
  edn: EdnFile | undefined,
  kept: KeptEvents,
): ReturnType<typeof checkStream> {
  collectGarbageEarly();
  using progress = new CheckProgress(input);
  using _ = edn;
  const judged = await checkStream(input.chunks(), input.source, {
    ...options,
    onEvents: async (events) => {
      kept.add(events);
      progress.add(events.length);
      edn?.write(events);
    },
  });
  edn?.end();
  return judged;
}

/** The events of a history while it is short; none once it is long. */
class KeptEvents {
  readonly #limit: number;
  #events: HistoryEvent[] = [];
  #tooMany = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get events(): readonly HistoryEvent[] {
    return this.#events;
  }

  add(events: readonly HistoryEvent[]): void {
    this.#tooMany ||= this.#events.length + events.length > this.#limit;
    if (this.#tooMany) this.#events = [];
    else for (const event of events) this.#events.push(event);
  }
}

/** The model by its short name, or by the name that explanations use. */
function modelOf(flags: Flags): LockModelName {
  const long = LOCK_MODELS.find((name) => name === flags.text("model"));
  const short = long === undefined ? flags.choice("model", SHORT_MODELS) : undefined;
  return long ?? LOCK_MODELS[SHORT_MODELS.indexOf(short ?? "")] ?? "reentrant-fenced-mutex";
}

function formatOf(flags: Flags, path: string): HistoryFormat {
  const format = flags.choice("format", HISTORY_FORMATS) ?? "auto";
  return format === "auto" && path.endsWith(".edn") ? "edn" : format;
}
