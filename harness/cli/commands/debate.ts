import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXPERIMENT_IDS } from "../../../workloads/debate/experiment-ids.ts";
import { EXIT } from "../../core/verdict.ts";
import { STORE } from "../../run/store.ts";
import { type Command, refuseOperands } from "../command.ts";
import { DEBATE_DEFAULTS } from "../debate/defaults.ts";
import { textOptions } from "../output.ts";
import { Progress } from "../progress.ts";

/** `lockstorm debate`: the dispute about Redlock, measured. */
export const debate: Command = {
  name: "debate",
  summary: "measure what Kleppmann and antirez say about Redlock",
  operands: "",
  flags: {
    only: { value: "experiments", help: `some of ${EXPERIMENT_IDS.join(", ")}, separated by commas` },
    runs: { value: "number", help: "simulated runs of each cell", default: String(DEBATE_DEFAULTS.runs) },
    seed: {
      value: "number",
      help: "seed of the plans: the same seed gives the same numbers",
      default: String(DEBATE_DEFAULTS.seed),
    },
    store: { value: "folder", help: "where the report, debate.html, is written", default: STORE },
    json: { help: "print the raw numbers as JSON" },
  },
  examples: ["lockstorm debate", "lockstorm debate --only pause,clock-rate --runs 200"],
  run: async ({ operands, flags, signal }) => {
    refuseOperands("debate", operands);
    const only = flags.list("only", EXPERIMENT_IDS) ?? EXPERIMENT_IDS;
    const store = flags.text("store") ?? STORE;
    // Only now: no other command needs them.
    const { measureDebate } = await import("../debate/measure-debate.ts");
    const { renderDebateHtml } = await import("../../../reports/debate-html.ts");
    const { renderDebateText } = await import("../../../reports/debate-text.ts");
    using progress = new Progress();
    const measured = await measureDebate({
      only,
      seed: flags.integer("seed", 0) ?? DEBATE_DEFAULTS.seed,
      runs: flags.integer("runs", 1) ?? DEBATE_DEFAULTS.runs,
      signal,
      onProgress: (words) => progress.step(words),
    });
    progress[Symbol.dispose]();
    const missing = only.length - measured.experiments.length;
    if (missing > 0) progress.note(`${missing} of ${only.length} experiments are not measured: it was interrupted`);
    mkdirSync(store, { recursive: true });
    const report = join(store, "debate.html");
    writeFileSync(report, renderDebateHtml(measured));
    if (flags.on("json")) process.stdout.write(`${JSON.stringify(measured, undefined, 2)}\n`);
    else process.stdout.write(`${renderDebateText(measured, textOptions())}\nReport\n  ${report}\n`);
    return measured.experiments.every(({ surprises }) => surprises.length === 0) ? EXIT.valid : EXIT.invalid;
  },
};
