import { checkHistory } from "../../check/check.ts";
import { UserError } from "../../core/errors.ts";
import { PROPERTIES } from "../../core/verdict.ts";
import type { Command } from "../command.ts";
import { exitCode, printRun } from "../output.ts";
import { readHistory, STANDARD_INPUT } from "../read-history.ts";

/** `lockstorm check`: the verdict on a recorded history, whoever recorded it. */
export const check: Command = {
  name: "check",
  summary: "judge a recorded history (a file, or - for standard input)",
  operands: "<history.jsonl>",
  flags: {
    require: {
      value: "properties",
      help: "properties that decide the verdict, separated by commas (default: all that apply)",
    },
    json: { help: "print the verdict as JSON" },
  },
  examples: ["lockstorm check history.jsonl", "lockstorm check - --json < history.jsonl"],
  run: async ({ operands, flags }) => {
    const [path] = operands;
    if (path === undefined || operands.length > 1) {
      throw new UserError("check takes one history", "give a history.jsonl, or - for standard input");
    }
    const required = flags.list("require", PROPERTIES) ?? PROPERTIES;
    const history = await readHistory(path);
    const verdict = checkHistory(history, { required, foreign: true });
    const title = path === STANDARD_INPUT ? "standard input" : path;
    printRun({ record: { history, verdict, title } }, flags.on("json"));
    return exitCode(verdict);
  },
};
