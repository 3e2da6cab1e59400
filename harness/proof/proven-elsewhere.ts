import type { Hypothesis, Proof, Property, Verdict, Violation } from "../core/verdict.ts";
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

/** A cause that is to be shown, and how it was established. */
interface Established {
  readonly hypothesis: Hypothesis;
  readonly proof: Proof;
}

/**
 * Its cause as the simulation proves it, if the same is a possible cause here; else the best guess, as probable.
 * Undefined where the history itself shows it.
 */
function proofFor(
  run: JudgedRun,
  simulated: JudgedRun,
  property: Property,
  { hypotheses = [], ...violation }: Violation,
): Established | undefined {
  const [best] = hypotheses;
  if (violation.proof?.standing === "proven" || best === undefined) return undefined;
  for (const other of simulated.verdict.properties[property]?.violations ?? []) {
    const { proof, hypotheses: [shown] = [] } = other;
    if (proof?.standing !== "proven" || proof.run === undefined || shown === undefined) continue;
    if (!isAlike(violation, run, other, simulated)) continue;
    const accused = accusedBy(shown, simulated);
    const same = hypotheses.find(
      (each) => each.cause === shown.cause && each.ground.on === shown.ground.on && accusedBy(each, run) === accused,
    );
    if (same === undefined) continue;
    const { by, run: shownBy, remedies } = proof;
    return {
      hypothesis: same,
      proof: {
        standing: "proven",
        by: `in simulation the same plan breaks in the same way, and there, ${by}`,
        run: shownBy,
        ...(remedies === undefined ? {} : { remedies }),
      },
    };
  }
  return { hypothesis: best, proof: { standing: "probable", by: NOT_THERE } };
}

/** The fault that it accuses, by what is the same in every run of the plan. */
function accusedBy({ fault }: Hypothesis, { history: { events } }: JudgedRun): string | undefined {
  const event = fault === undefined ? undefined : events[fault];
  return event?.type === "fault" ? `${event.f} ${event.value.step}` : undefined;
}

function withProof(violation: Violation, established: Established | undefined): Violation {
  const { finding, hypotheses = [], fault: _, ...rest } = violation;
  if (established === undefined || finding === undefined) return violation;
  return { ...rest, ...explainBy(finding, hypotheses, established.hypothesis, established.proof) };
}
