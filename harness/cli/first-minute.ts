import { asyncFailover } from "../../workloads/catalogue/async-failover.ts";
import { planOf, requiredOf } from "../../workloads/scenario.ts";
import type { Verdict } from "../core/verdict.ts";
import { TextStyle, wrap } from "../../reports/text-style.ts";
import { exitCode, textOptions } from "./output.ts";
import { print } from "./terminal.ts";

const INTRODUCTION = "A failover that breaks a lock, in a simulation of Redis, its Sentinels and their network.";

const USUAL_WIDTH = 100;
/** Characters. Words in a narrower column are hard to read. */
const LEAST_BESIDE = 24;

const NEXT: readonly (readonly [command: string, does: string])[] = [
  ["npx lockstorm reproduce async-failover", "the same run in full, kept as report.html"],
  ["npx lockstorm reproduce async-failover --no-faults", "the control: without faults it is valid"],
  ["npx lockstorm hunt --ladder", "locks from bare SETNX to Redlock under every fault"],
  ["npx lockstorm init", "files to test a lock of yours"],
  ["npx lockstorm explain lost-in-failover", "what a word of the report means"],
  ["npx lockstorm --help", "all commands"],
];

/**
 * What `lockstorm` alone shows: a failover that breaks a lock, in simulation, drawn, and what to type next. Nothing is
 * written to the disk.
 * @returns the exit code of that run, as of any other: 1
 */
export async function showFailover(signal: AbortSignal): Promise<number> {
  const options = textOptions();
  const { title, summary } = asyncFailover;
  const introduction = [
    ...wrap(INTRODUCTION, options.width ?? USUAL_WIDTH),
    ...new TextStyle(options).paragraph(summary),
    "",
    "",
  ];
  // Before the simulation is loaded, which takes longer than all else.
  print(introduction.join("\n"));
  const { executorOf, proven } = await import("../campaign/execute.ts");
  const { renderViolation } = await import("../../reports/run/text.ts");
  const execute = await executorOf("simulated");
  const required = requiredOf(asyncFailover, "schedule");
  const run = await execute(planOf(asyncFailover, { seed: 1, variant: "schedule" }), {
    title: `async-failover: ${title}`,
    required,
    signal,
  });
  const { record } = await proven(run);
  const { verdict } = record;
  const told = { ...record, verdict: { ...verdict, properties: firstBroken(verdict.properties) } };
  print([renderViolation(told, options), "Next", ...nextSteps(options.width ?? USUAL_WIDTH), ""].join("\n"));
  return exitCode(verdict);
}

/** What to type next, and what each does: beside it, or below it where that would be too narrow. */
function nextSteps(width: number): readonly string[] {
  const commandWidth = Math.max(...NEXT.map(([command]) => command.length));
  const beside = width - commandWidth - 4;
  return NEXT.flatMap(([command, does]) => {
    if (beside < LEAST_BESIDE) return [`  ${command}`, ...wrap(does, width - 6).map((line) => `      ${line}`)];
    return wrap(does, beside).map((line, at) => `  ${(at === 0 ? command : "").padEnd(commandWidth)}  ${line}`);
  });
}

/** The first property that is broken, alone: the others say the same of the same moments. */
function firstBroken(properties: Verdict["properties"]): Verdict["properties"] {
  const [first] = Object.entries(properties).filter(([, { violations }]) => violations.length > 0);
  return first === undefined ? properties : Object.fromEntries([first]);
}
