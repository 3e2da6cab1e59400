import { print } from "../terminal.ts";
import { printableJson } from "../../core/printable.ts";
import { makeFolder, replaceFile, requireWritable } from "../../run/output-file.ts";
import { join } from "node:path";
import { EXPERIMENT_IDS } from "../../../workloads/debate/experiment-ids.ts";
import { EXIT } from "../../core/verdict.ts";
import { STORE } from "../../run/store.ts";
import { type Command, refuseOperands } from "../command.ts";
import { DEBATE_DEFAULTS } from "../../campaign/debate/defaults.ts";
import { textOptions } from "../output.ts";
import { TerminalProgress } from "../terminal-progress.ts";

/** `lockstorm debate`: the dispute about Redlock, measured. */
export const debate: Command = {
  name: "debate",
  summary: "measure the claims of Kleppmann and antirez about Redlock",
  operands: "",
  flags: {
    only: {
      value: "experiments",
      help: `some of ${EXPERIMENT_IDS.join(", ")}, separated by commas`,
      choices: EXPERIMENT_IDS,
    },
    runs: { value: "number", help: "simulated runs per cell", default: String(DEBATE_DEFAULTS.runs) },
    seed: {
      value: "number",
      help: "seed of the plans: the same seed gives the same numbers",
      default: String(DEBATE_DEFAULTS.seed),
    },
    store: { value: "folder", help: "where the report, debate.html, is written", default: STORE },
    json: { help: "print the raw numbers as JSON" },
  },
  examples: ["lockstorm debate", "lockstorm debate --only pause,clock-rate --runs 200"],
  exits: {
    valid: "every experiment came out as expected",
    invalid: "an experiment came out otherwise",
  },
  run: async ({ operands, flags, signal }) => {
    refuseOperands("debate", operands);
    const only = flags.list("only", EXPERIMENT_IDS) ?? EXPERIMENT_IDS;
    const store = flags.text("store") ?? STORE;
    // Imported only now: no other command needs them.
    const { measureDebate } = await import("../../campaign/debate/measure-debate.ts");
    const { renderDebateHtml } = await import("../../../reports/debate/debate-html.ts");
    const { renderDebateText } = await import("../../../reports/debate/debate-text.ts");
    // Before it measures for minutes.
    makeFolder(store);
    const report = join(store, "debate.html");
    requireWritable(report);
    using progress = new TerminalProgress();
    const measured = await measureDebate(
      {
        only,
        seed: flags.integer("seed", 0) ?? DEBATE_DEFAULTS.seed,
        runs: flags.integer("runs", 1) ?? DEBATE_DEFAULTS.runs,
      },
      { signal, progress },
    );
    progress[Symbol.dispose]();
    const missing = only.length - measured.experiments.length;
    if (missing > 0)
      progress.note(`${missing} of ${only.length} experiments are not measured: the command was interrupted`);
    replaceFile(report, renderDebateHtml(measured));
    if (flags.on("json")) print(printableJson(measured));
    else print(`${renderDebateText(measured, textOptions())}\nReport\n  ${report}\n`);
    return measured.experiments.every(({ surprises }) => surprises.length === 0) ? EXIT.valid : EXIT.invalid;
  },
};
