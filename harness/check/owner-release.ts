import type { PropertyVerdict, Violation } from "../core/verdict.ts";
import type { Checker, CheckerFactory } from "./checker.ts";
import type { Evidence } from "./evidence.ts";
import { eventList, Findings, notApplicable, VALID } from "./findings.ts";
import type { Hold } from "./holds.ts";
import { holder } from "./mutual-exclusion.ts";
import { RemarkList } from "./remark-list.ts";
import type { Step } from "./step.ts";
import { takingOf, type Taking } from "./takings.ts";
import { clientOf, faultInWords, holderOf, ms, shortOwner } from "./words.ts";

/**
 * P6, owner release: whoever deletes or extends a lock finds its own owner value there. A release that reports
 * `released: true`, or an extension that reports success, and lies whole within another owner's definite hold and lease,
 * took what was not its own; unless its own grant is the later of the two: then the owner value there was its own, and
 * the other is a client that outlived its lease or was robbed of it.
 *
 * Where there may be more than one copy of the lock (several masters, or a replica was promoted) an owner whose own
 * lease is still running may just as well have found its own value, on the other copy. Such an operation is a remark.
 */
export const ownerRelease: CheckerFactory = {
  property: "owner-release",
  create: (evidence) => new OwnerRelease(evidence),
};

/** What the one who took had of its own when it invoked the operation. */
interface OwnClaim {
  readonly invokedIndex: number;
  /** Its own hold, if it had one. */
  readonly own: Hold | undefined;
}

class OwnerRelease implements Checker {
  readonly #evidence: Evidence;
  readonly #findings = new Findings("owner-release");
  readonly #remarks = new RemarkList("more releases of this kind are not listed");
  readonly #claims = new Map<number, OwnClaim>();
  #operations = 0;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  get remarks(): readonly string[] {
    return [...this.#findings.remarks, ...this.#remarks.all];
  }

  push({ event, invocation, changes }: Step): void {
    if (event.type === "fault" || event.type === "audit") return;
    if (event.type === "invoke" && (event.f === "release" || event.f === "extend")) {
      const ended = changes.find(({ hold }) => hold.owner === event.value.owner)?.hold;
      const own = ended ?? this.#evidence.holds.find(event.key, event.value.owner, event.process);
      this.#claims.set(event.process, { invokedIndex: event.index, own });
      return;
    }
    if (event.f !== "release" && event.f !== "extend") return;
    this.#operations += 1;
    const claim = this.#claims.get(event.process);
    this.#claims.delete(event.process);
    const taking = takingOf(event, invocation, claim?.own);
    if (taking === undefined || !taking.certain || claim === undefined) return;
    for (const victim of this.#evidence.holds.open(event.key)) this.#judge(event.key, taking, claim, victim);
  }

  finish(): PropertyVerdict {
    return this.#findings.verdict(this.#operations === 0 ? notApplicable("nobody released or extended a lock") : VALID);
  }

  #judge(key: string, taking: Taking, { own }: OwnClaim, victim: Hold): void {
    if (victim === own || victim.owner === taking.owner) return;
    const promised = victim.grantedIndex < taking.invokedIndex && victim.leaseEnd >= taking.completedTime;
    const grantedLater = own !== undefined && own.grantedIndex > victim.grantedIndex;
    if (!promised || grantedLater) return;
    if (this.#hadItsOwnCopy(own, taking, victim)) {
      this.#remarks.add(
        `${clientOf(this.#evidence.header, taking.process)} ended or prolonged ${key} as owner ${shortOwner(taking.owner)} while ${shortOwner(victim.owner)} held it (events ${taking.invokedIndex} and ${taking.completedIndex}): with several copies of the lock that may have been its own`,
      );
      return;
    }
    this.#findings.add(() => this.#describe(key, taking, own, victim));
  }

  /** Whether the taker may have found its own owner value, on a copy of the lock that the victim did not get. */
  #hadItsOwnCopy(own: Hold | undefined, taking: Taking, victim: Hold): boolean {
    const { header, faults } = this.#evidence;
    const since = (own ?? victim).invokedTime;
    if (faults.during(["promotion", "failover"], since, taking.completedTime).length > 0) return true;
    return header["topology"] === "redlock" && own !== undefined && own.leaseEndAtMost > taking.invokedTime;
  }

  #describe(key: string, taking: Taking, own: Hold | undefined, victim: Hold): Violation {
    const { header, faults, holds } = this.#evidence;
    const pause = faults
      .during(["pause-client"], own?.grantedTime ?? 0, taking.completedTime)
      .findLast(({ value }) => value.processes?.some((process) => holds.sameClient(process, taking.process)));
    const what = taking.f === "release" ? "released" : "extended";
    const standing =
      own === undefined
        ? "held nothing any more"
        : `had been granted it at ${ms(own.grantedTime)} with a lease until ${ms(own.leaseEnd)}`;
    const stopped = pause === undefined ? "" : ` It had been stopped: ${faultInWords(pause)}.`;
    return {
      events: eventList(
        own?.grantedIndex,
        victim.grantedIndex,
        taking.invokedIndex,
        taking.completedIndex,
        pause?.index,
      ),
      cause: "foreign-release",
      holders: [own === undefined ? { process: taking.process, owner: taking.owner } : holder(own), holder(victim)],
      ...(pause === undefined ? {} : { fault: pause.index }),
      explanation:
        `${clientOf(header, taking.process)} (owner ${shortOwner(taking.owner)}) ${what} ${key} between ${ms(taking.invokedTime)} and ` +
        `${ms(taking.completedTime)} and was told that it succeeded, while ${holderOf(header, victim)} held it since ` +
        `${ms(victim.grantedTime)}. The one that ${what} it ${standing}.${stopped} The lock must compare the owner value, in ` +
        `one step with the ${taking.f === "release" ? "deletion" : "extension"}.`,
    };
  }
}
