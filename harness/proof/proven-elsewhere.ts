import type { Proof, Property, Verdict, Violation } from "../core/verdict.ts";
import { explainBy } from "../check/explanation.ts";
import type { JudgedRun } from "./changed-run.ts";
import { isAlike } from "./comparison.ts";

const NOT_THERE = "runs on real servers are not repeatable, and in simulation the same plan does not break in this way";

/**
 * The verdict of a run on real servers with the causes that a simulated run of the same plan proves: those of
 * violations in both runs, with the same property and key, the same clients and the same cause. The other causes stay
 * probable.
 */
export function provenElsewhere(run: JudgedRun, simulated: JudgedRun): Verdict {
  const properties: Verdict["properties"] = Object.fromEntries(
    Object.entries(run.verdict.properties).map(([property, found]) => {
      const violations = found.violations.map((violation) =>
        withProof(violation, proofFor(run, simulated, property as Property, violation)),
      );
      return [property, { ...found, violations }];
    }),
  );
  return { ...run.verdict, properties };
}

/** The proof of its cause: by the history itself, by the simulation, or only probable. */
function proofFor(run: JudgedRun, simulated: JudgedRun, property: Property, violation: Violation): Proof | undefined {
  if (violation.proof?.standing === "proven") return undefined;
  const same = (simulated.verdict.properties[property]?.violations ?? []).find(
    (other) =>
      other.cause === violation.cause &&
      other.proof?.standing === "proven" &&
      other.proof.run !== undefined &&
      isAlike(violation, run.history, other, simulated.history),
  );
  if (same?.proof?.run === undefined) return { standing: "probable", by: NOT_THERE };
  const { by, run: shownBy, remedies } = same.proof;
  return {
    standing: "proven",
    by: `in simulation the same plan breaks in the same way, and there, ${by}`,
    run: shownBy,
    ...(remedies === undefined ? {} : { remedies }),
  };
}

function withProof(violation: Violation, proof: Proof | undefined): Violation {
  const { finding, hypotheses = [] } = violation;
  const [first] = hypotheses;
  if (proof === undefined || finding === undefined || first === undefined) return violation;
  return { ...violation, ...explainBy(finding, hypotheses, first, proof) };
}
