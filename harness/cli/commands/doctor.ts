import { beside, paragraph } from "../output.ts";
import { print } from "../terminal.ts";
import { printable, printableJson } from "../../core/printable.ts";
import { examine, type Diagnosis } from "../../containers/setup/doctor.ts";
import { EXIT } from "../../core/verdict.ts";
import { type Command, refuseOperands } from "../command.ts";

const MARK = { ok: "ok     ", missing: "missing", broken: "broken " } as const;

/** `lockstorm doctor`: what this machine can run, and what is missing. */
export const doctor: Command = {
  name: "doctor",
  summary: "say what this machine can run, and what is missing",
  operands: "",
  flags: { json: { help: "print the findings as JSON" } },
  examples: ["lockstorm doctor"],
  exits: {
    valid: "nothing that this machine needs is missing",
    unknown: "something is missing or broken that --backend containers needs",
  },
  run: async ({ operands, flags }) => {
    refuseOperands("doctor", operands);
    const findings = await examine();
    if (flags.on("json")) print(printableJson(findings));
    else {
      const width = Math.max(...findings.map(({ name }) => name.length));
      for (const { name, state, detail, hint, optional } of findings) {
        const aside = state !== "ok" && optional ? " (lockstorm runs without it)" : "";
        print(beside(`${MARK[state]}  ${name.padEnd(width)}  `, printable(detail) + aside));
        if (hint !== undefined) print(beside(`${" ".repeat(width + 11)}-> `, printable(hint)));
      }
      const rest = simulationNote(findings);
      if (rest !== undefined) print(`\n${paragraph(rest)}\n`);
    }
    return doctorExitCode(findings);
  },
};

/** What runs here although something is missing or broken; undefined if nothing is, or if it is Node. */
export function simulationNote(
  findings: readonly Pick<Diagnosis, "name" | "state" | "optional">[],
): string | undefined {
  if (doctorExitCode(findings) === EXIT.valid) return undefined;
  if (findings.some(({ name, state }) => name === "Node" && state !== "ok")) return undefined;
  return "Only --backend containers needs what is missing or broken here. Simulation, which is the default, and --backend live run without it.";
}

/** Valid unless something that lockstorm needs is missing or broken. */
export function doctorExitCode(findings: readonly Pick<Diagnosis, "state" | "optional">[]): number {
  return findings.every(({ state, optional }) => state === "ok" || optional === true) ? EXIT.valid : EXIT.unknown;
}
