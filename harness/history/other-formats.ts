import { COMMANDS_FORMAT } from "../core/messages/commands-format.ts";
import { WIRE_FORMAT } from "../core/messages/wire-record.ts";
import { PLAN_FORMAT } from "../core/plan.ts";

/** What a file is whose first line has one of lockstorm's other formats, and what to do with it instead. */
interface OtherFormat {
  readonly what: string;
  readonly hint: string;
}

const COMMANDS: OtherFormat = {
  what: "a recording of `lockstorm serve`, which has commands and replies and says nothing of what clients believed",
  hint: "record a history of your clients' operations: see docs/history.md",
};

const WIRE: OtherFormat = {
  what: "what went over the wire of a kept run",
  hint: "give the history.jsonl in the same folder",
};

const OTHERS: ReadonlyMap<unknown, OtherFormat> = new Map([
  [COMMANDS_FORMAT, COMMANDS],
  [WIRE_FORMAT, WIRE],
  [PLAN_FORMAT, { what: "a plan", hint: "run it: lockstorm replay <plan>" }],
  ["lockstorm-report", { what: "a report", hint: "give the history.jsonl in the same folder" }],
  ["lockstorm-campaign", { what: "the journal of a campaign", hint: "merge it: lockstorm merge <journals>" }],
]);

/** Which of lockstorm's other formats this first line has; undefined if none. */
export function otherFormat(header: Readonly<Record<string, unknown>>): OtherFormat | undefined {
  const known = OTHERS.get(header["format"]);
  // Recordings of `serve` once had the name of the other format.
  return known === WIRE && !("messages" in header) ? COMMANDS : known;
}
