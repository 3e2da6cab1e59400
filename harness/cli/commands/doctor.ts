import { examine, type Finding } from "../../containers/doctor.ts";
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
  run: async ({ operands, flags }) => {
    refuseOperands("doctor", operands);
    const findings = await examine();
    if (flags.on("json")) console.log(JSON.stringify(findings, undefined, 2));
    else {
      const width = Math.max(...findings.map(({ name }) => name.length));
      for (const { name, state, detail, mend, optional } of findings) {
        const aside = state !== "ok" && optional ? " (lockstorm runs without it)" : "";
        console.log(`${MARK[state]}  ${name.padEnd(width)}  ${detail}${aside}`);
        if (mend !== undefined) console.log(`${" ".repeat(width + 11)}-> ${mend}`);
      }
    }
    return doctorExitCode(findings);
  },
};

/** Valid unless something is missing or broken that lockstorm does not run without. */
export function doctorExitCode(findings: readonly Pick<Finding, "state" | "optional">[]): number {
  return findings.every(({ state, optional }) => state === "ok" || optional === true) ? EXIT.valid : EXIT.unknown;
}
