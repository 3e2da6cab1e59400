import { fstatSync } from "node:fs";
import { fileInput, type HistoryInput, look, OpenedInput } from "../run/history-input.ts";
import { standardInput } from "./standard-input.ts";

/** The name that stands for a history on standard input. */
const STANDARD_INPUT = "-";

/** A file, or standard input for `-`. Nothing is opened before `chunks` is iterated. */
export function historyInput(path: string, signal?: AbortSignal): HistoryInput {
  if (path !== STANDARD_INPUT) return fileInput(path, signal);
  const open = (): ReturnType<typeof standardInput> => {
    if (fstatSync(0).isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
    return standardInput();
  };
  return new OpenedInput("standard input", { file: look(() => fstatSync(0)), open, signal });
}
