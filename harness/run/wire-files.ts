import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Control } from "../history/control.ts";
import { UserError } from "../core/errors.ts";
import { wireRecordSchema, type WireRecord } from "../core/messages/wire-record.ts";
import { readTextFile } from "./input-file.ts";
import { readHistory } from "./read-history.ts";
import type { RunFolder } from "./store.ts";

/** What went over the wire of a kept run, and what its servers held. No evidence: it lies beside the history. */
const WIRE = "wire.json";
/** The history of the control of a kept run. Its title says what is different in it. */
const CONTROL = "control.jsonl";
/** A control with more events shows nobody what differs. */
const MOST_EVENTS = 20_000;

/** What may lie beside the history of a run. */
interface WireFiles {
  readonly wire?: WireRecord | undefined;
  readonly control?: Control | undefined;
}

/** Writes what a run has of these beside its history. */
export function writeWire(folder: RunFolder, { wire, control }: WireFiles): void {
  if (wire !== undefined) folder.write(WIRE, `${JSON.stringify(wire)}\n`);
  if (control === undefined || control.history.events.length > MOST_EVENTS) return;
  const { header, events, end } = control.history;
  const lines = [{ ...header, title: control.says }, ...events, ...(end === undefined ? [] : [end])];
  folder.write(CONTROL, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/**
 * Reads what was kept beside the history of a run.
 * @throws UserError for a broken file
 */
export async function readWire(folder: string): Promise<WireFiles> {
  const wire = readWireRecord(join(folder, WIRE));
  const control = await readControl(join(folder, CONTROL));
  return { wire, control };
}

function readWireRecord(path: string): WireRecord | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return wireRecordSchema.parse(JSON.parse(readTextFile(path)));
  } catch (error) {
    throw new UserError(`${path} cannot be read`, "delete it: the verdict does not need it", { cause: error });
  }
}

async function readControl(path: string): Promise<Control | undefined> {
  if (!existsSync(path)) return undefined;
  const history = await readHistory(path);
  const { title } = history.header;
  return { says: typeof title === "string" ? title : "the same schedule with one change", history };
}
