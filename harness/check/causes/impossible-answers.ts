import { type FaultTraits, mayKeepReplies, movesClocks } from "../../core/fault-traits.ts";
import { knownTopology } from "../../core/topologies/registry.ts";
import type { Hypothesis, Violation } from "../../core/verdict.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { Interference } from "../evidence/interferences.ts";
import type { LockOperation } from "../linearizability/lock-models.ts";
import type { Configuration } from "../linearizability/configuration.ts";
import { explain } from "../explanation.ts";
import type { Hold } from "../../history/holds.ts";
import { clientInWords, timeWords } from "../words.ts";
import { byElimination, orGrantedBefore } from "./by-elimination.ts";

/**
 * The lock itself is the cause of an answer that no order explains.
 *
 * @param theirs the hold that keeps it from being explained
 * @param interferences the last releases and extensions of the key, this one among them if it is one
 */
export function ofTheLock(
  operation: LockOperation,
  theirs: Hold | undefined,
  evidence: SharedEvidence,
  interferences: readonly Interference[],
): Hypothesis {
  const { kind, validUntil = Infinity, completedTime, share } = operation;
  if (kind === "extend" && validUntil <= completedTime) {
    const why =
      "the lock reported success when the lease was over: it must compare the elapsed time with the TTL and refuse";
    return byElimination("expired-grant", why, evidence);
  }
  switch (kind) {
    case "release":
    case "lose":
    case "extend":
      if (mayHaveFoundSome(operation, evidence, interferences)) {
        const some = "some of its servers may still have held it for this owner, but no majority of them";
        const why = `the lock reported success, although ${some}: only the answers of a majority are an answer of the lock`;
        return byElimination("contradiction", why, evidence);
      }
      return orGrantedBefore(
        byElimination(
          "foreign-release",
          "the lock reported success, although this owner cannot have held it",
          evidence,
        ),
        !operation.stranger,
        evidence,
      );
    case "miss": {
      // In a run of lockstorm nothing but the lock touches its keys.
      const another = evidence.beganFree ? "" : ", or another program deleted the key";
      return byElimination("lost-early", `the lock ended or deleted the lease too early${another}`, evidence);
    }
    case "contended":
      return byElimination(
        "refused-while-free",
        "the lock refused it although no client can have held the lock",
        evidence,
      );
    case "acquire":
    case "reenter":
      return {
        ...byElimination("double-grant", grantedBesideInWords(share), evidence),
        ...afterFailedRelease(operation, theirs, evidence),
      };
  }
}

/**
 * Whether a release or an extension may have found its own owner value on some of several independent servers, where a request
 * came later than on the others, or a clock is slower. It has taken nothing from anybody then.
 */
function mayHaveFoundSome(
  { invoked, completedTime }: LockOperation,
  { header, faults }: SharedEvidence,
  interferences: readonly Interference[],
): boolean {
  if (knownTopology(header["topology"])?.arrangement !== "independent") return false;
  const { ownMayRemain } = interferences.find(({ invokedIndex }) => invokedIndex === invoked) ?? {};
  if (ownMayRemain === undefined) return false;
  const isLate = (traits: FaultTraits): boolean => mayKeepReplies(traits) || movesClocks(traits);
  return ownMayRemain || faults.anyDuring(isLate, 0, completedTime);
}

/** A hold that its client called release for before another was answered, and was told that this failed, is still in force. */
function afterFailedRelease(
  { completed, share }: LockOperation,
  theirs: Hold | undefined,
  { header, interferences }: SharedEvidence,
): Partial<Hypothesis> {
  const end = theirs?.end;
  if (theirs === undefined || end?.by !== "release" || end.index >= completed) return {};
  if (!interferences.failedToRelease(theirs)) return {};
  return {
    shown: `${clientInWords(header, theirs.process)} had called release at ${timeWords(end.time)}, and was told that it failed, which means that it had no effect`,
    why: `it took effect all the same, so that its outcome was not certain; or ${grantedBesideInWords(share)}`,
  };
}

/** The other owner may be the same client, which has forgotten its older hold. */
function grantedBesideInWords(share: LockOperation["share"]): string {
  return share?.kind === "counted"
    ? "the lock granted more permits than it has"
    : "the lock granted it while another owner had a lease";
}

/** An answer contradicts an earlier one of the lock, and it is unknown which of the two is wrong. */
export function ofNoOrder(evidence: SharedEvidence): Hypothesis {
  return byElimination("contradiction", "the lock's answers contradict each other", evidence);
}

/** An acquire was refused as contended, and nobody can have held the key then. */
export function unexplainedRefusal(key: string, { owed, point }: Configuration, evidence: SharedEvidence): Violation {
  const account = `An acquire of ${key} was refused as contended at ${timeWords(owed?.time ?? 0)}, but from ${timeWords(point.time)} on no client can have held it.`;
  const why = "the lock refused it although no client held the lock";
  return explain(account, [owed?.index], [byElimination("refused-while-free", why, evidence)]);
}
