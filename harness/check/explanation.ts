import type { Finding, Ground, Hypothesis, Proof, Remedy, Violation } from "../core/verdict.ts";
import { eventList } from "./findings.ts";
import { listed } from "../core/listed.ts";

/** Why a cause that only the history supports is no more than probable. */
function notTried(ground: Ground): string {
  if (ground.on !== "rest") return "no run without it was made for comparison";
  return ground.faults.length === 0
    ? "the history may not name every fault of its run, nor every program that changed the key"
    : "no run without the faults was made for comparison";
}

/** What each remedy is, at the beginning of a sentence. */
const REMEDY_IN_WORDS: Readonly<Record<Remedy, string>> = {
  "elapsed-check": "A check of the elapsed time when the grant arrives",
  "local-timer": "A timer in the client that stops its work when the lease ends",
  "fencing-resource": "A resource that checks fencing tokens",
  fsync: "A server that syncs to disk before it replies",
};

/**
 * How many possible causes of a violation are kept. A history may have thousands of faults, and each may be a cause of each
 * of a hundred violations. Nobody reads more than these, and no more are tried.
 */
const MOST_HYPOTHESES = 40;

type Explained = Pick<Violation, "events" | "cause" | "fault" | "explanation" | "proof" | "finding" | "hypotheses">;

/**
 * The parts of a violation that depend on its cause, from the history alone: the first hypothesis, as a fact if the
 * history shows it and with "Probably" if it does not.
 *
 * @param account what happened, without its cause, in whole sentences
 * @param events the events that show it, beside those of a hypothesis
 * @throws RangeError without a hypothesis: nothing is left unexplained
 */
export function explain(
  account: string,
  events: readonly (number | undefined)[],
  hypotheses: readonly Hypothesis[],
): Explained {
  const [best, ...others] = hypotheses;
  if (best === undefined) throw new RangeError("a violation has a cause");
  const proof: Proof = isEvident(best.ground)
    ? { standing: "proven", by: "the history shows it" }
    : { standing: "probable", by: notTried(best.ground) };
  return explainBy({ account, events: eventList(...events) }, [best, ...mostLikely(others)], best, proof);
}

/** The most likely hypotheses, which come first, and the last one: what is left when none of the others is true. */
function mostLikely(others: readonly Hypothesis[]): readonly Hypothesis[] {
  return others.length < MOST_HYPOTHESES ? others : [...others.slice(0, MOST_HYPOTHESES - 2), ...others.slice(-1)];
}

/** Whether the history itself shows it. */
function isEvident(ground: Ground): boolean {
  return ground.on === "history" || (ground.on === "rest" && ground.isWhole && ground.faults.length === 0);
}

/** The same, with the hypothesis and the proof from counterfactual runs. */
export function explainBy(
  finding: Finding,
  hypotheses: readonly Hypothesis[],
  chosen: Hypothesis,
  proof: Proof,
): Explained {
  const { cause } = chosen;
  const { fault, events } = proof.standing === "refuted" ? { fault: undefined, events: [] } : chosen;
  return {
    events: eventList(...finding.events, fault, ...events),
    cause,
    ...(fault === undefined ? {} : { fault }),
    explanation: [finding.account, causeInWords(chosen, proof, hypotheses), adviceInWords(chosen, proof)]
      .filter((part) => part !== "")
      .join(" "),
    proof,
    finding,
    // A reader that shows one cause shows the first.
    hypotheses: [chosen, ...hypotheses.filter((other) => other !== chosen)],
  };
}

/** The cause as a fact, with its proof; or as probable, with the reason why it is not proven; or that it is not known. */
function causeInWords(
  { shown, why, orElse = "", accused, ground }: Hypothesis,
  proof: Proof,
  hypotheses: readonly Hypothesis[],
): string {
  const evident = shown === undefined ? "" : `${capital(shown)}. `;
  if (proof.standing === "proven") {
    return `${evident}${capital(why)}${orElse}.${proof.run === undefined ? "" : ` ${capital(proof.by)}.`}`;
  }
  if (proof.standing === "refuted") return `${evident}It is not known what led to it: ${proof.by}.`;
  const dropped = new Set((proof.dropped ?? []).map((other) => other.why));
  const others = hypotheses.filter((other) => other.accused !== undefined && !dropped.has(other.why));
  const also = [...new Set(others.map((other) => other.accused ?? "").filter((other) => other !== accused))];
  const beside = ground.on !== "faults" || also.length === 0 ? "" : ` Other possible causes: ${listed(also)}.`;
  return `${evident}Probably: ${why}${orElse}.${beside} This is only probable, because ${proof.by}.`;
}

/**
 * What would have prevented the violation: the remedy that helped in a run; or, if none was tried, the most fitting remedy,
 * with "probably".
 */
function adviceInWords({ remedies, unadvised = [] }: Hypothesis, { remedies: tried }: Proof): string {
  if (tried === undefined) {
    const remedy = remedies.find((each) => !unadvised.includes(each));
    if (remedy === undefined) return "";
    return `${REMEDY_IN_WORDS[remedy]} would probably have ${remedy === "fencing-resource" ? "rejected the late write" : "prevented this"}.`;
  }
  const saying = tried.map(({ remedy, outcome }) => {
    const what = REMEDY_IN_WORDS[remedy];
    if (outcome === "no-help") return `${what} does not help: with it, the same schedule breaks in the same way.`;
    if (outcome === "undecided") return "";
    return remedy === "fencing-resource"
      ? `${what} rejects the late write: with it, the same schedule has no stale write.`
      : `${what} prevents this: with it, the same schedule does not break in this way.`;
  });
  return saying.filter((part) => part !== "").join(" ");
}

/** A clause as the beginning of a sentence. A name, `client-0`, stays as it is. */
function capital(clause: string): string {
  const [word = ""] = clause.split(" ", 1);
  return /^[a-z]+$/.test(word) ? `${clause.charAt(0).toUpperCase()}${clause.slice(1)}` : clause;
}
