import { UserError } from "../../core/errors.ts";
import { PROPERTIES, type Verdict } from "../../core/verdict.ts";
import { type FormerRun, formerRun } from "../../run/former-run.ts";
import { readPlan } from "../../run/store.ts";
import { type Backend, backendFlag, BACKENDS, type ExecutedRun, executorOf, keepRun } from "../backend.ts";
import { readRunFlags, runFlags } from "../common-flags.ts";
import type { Command } from "../command.ts";
import { exitCode, printRun } from "../output.ts";
import { Progress } from "../progress.ts";

/** `lockstorm replay`: a saved plan once more, on the backend it ran on or on the other. */
export const replay: Command = {
  name: "replay",
  summary: "run a saved plan again, on either backend",
  operands: "<plan.json>",
  flags: {
    lock: { value: "lock", help: "another lock than the plan's own: a name, or the path of a driver" },
    backend: { ...backendFlag, help: `${backendFlag.help} (default: the one it ran on)` },
    ...runFlags,
  },
  examples: [
    "lockstorm replay .lockstorm/runs/2026-01-31T12-00-00-1/plan.json",
    "lockstorm replay .lockstorm/runs/2026-01-31T12-00-00-1/plan.json --backend containers",
  ],
  run: async ({ operands, flags, signal }) => {
    const [path] = operands;
    if (path === undefined || operands.length > 1) {
      throw new UserError("replay takes one plan", "give the plan.json of a run");
    }
    const { required, json, ...options } = readRunFlags(flags);
    const saved = readPlan(path);
    const former = formerRun(path);
    const lock = flags.text("lock");
    const usual: Backend = former.traceHash === undefined && former.verdict !== undefined ? "containers" : "simulated";
    const backend = flags.choice("backend", BACKENDS) ?? usual;
    const execute = await executorOf(backend);
    using progress = new Progress();
    const run = await execute(
      { ...saved, lock: lock ?? saved.lock },
      { ...options, title: `replay of ${path}`, required: required ?? PROPERTIES, signal, progress },
    );
    progress[Symbol.dispose]();
    printRun(keepRun(run), json);
    if (lock === undefined) process.stderr.write(compare(former, run, backend));
    return exitCode(run.record.verdict);
  },
};

/** How the replay relates to the run that the plan comes from, as one line; empty where nothing is known of that. */
function compare(former: FormerRun, { record, traceHash }: ExecutedRun, backend: Backend): string {
  if (former.traceHash === undefined || former.verdict === undefined) return "";
  if (backend === "simulated") {
    return traceHash === former.traceHash
      ? `the same run, event for event (trace ${traceHash.slice(0, 12)})\n`
      : `not the same run: its trace has changed since, as it does when the lock or lockstorm has changed\n`;
  }
  if (former.verdict !== "invalid") return "";
  const found = causesOf(record.verdict).filter((cause) => former.causes.includes(cause));
  return found.length > 0
    ? `confirmed on real servers: ${found.join(", ")}\n`
    : `simulation only: real servers did not show ${former.causes.join(", ")} this time\n`;
}

function causesOf({ properties }: Verdict): readonly string[] {
  return Object.values(properties).flatMap(({ violations }) => violations.map(({ cause }) => cause));
}
