import type { AuditEvent } from "../../history/history.ts";
import type { PropertyVerdict, Violation } from "../../core/verdict.ts";
import { AcceptedOrder, type Inversion, isBehind } from "./accepted-order.ts";
import { AuditedPositions } from "../evidence/audited-positions.ts";
import type { Checker, CheckerFactory } from "../checker.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { explain } from "../explanation.ts";
import { Findings, NOT_JUDGED, notApplicable, unknown, VALID } from "../findings.ts";
import { refusedHypotheses } from "../causes/token-causes.ts";
import { type RefusedWrite, RefusedWrites } from "./refused-writes.ts";
import { RemarkList } from "../remark-list.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { shortOwner, statedOwner } from "../../history/owner-value.ts";
import { forgottenFences } from "../causes/forgotten-fences.ts";
import { holderOf, timeWords } from "../words.ts";

/**
 * P4, no stale write: in the order in which a resource applied them, the fencing tokens of accepted writes never
 * decrease, and no two owners' accepted writes carry an equal one. Writes without a fencing token do not count.
 *
 * Nor does the resource ever refuse the only rightful holder: the larger fencing token does not belong to a later hold
 * then.
 *
 * Fencing does not promise that nothing is accepted after a larger fencing token was merely *granted* (Kleppmann 2016;
 * its owner may not have written yet). Such writes, and those the resource refused, are remarks.
 */
export const staleWrites: CheckerFactory = {
  property: "stale-writes",
  create: (evidence) => new StaleWrites(evidence),
};

class StaleWrites implements Checker {
  readonly #evidence: SharedEvidence;
  readonly #findings = new Findings("stale-writes");
  readonly #remarks = new RemarkList("more stale writes are not listed");
  readonly #granted = new Map<string, number>();
  readonly #refused: RefusedWrites;
  readonly #grantedAtWrite = new Map<number, number>();
  readonly #audited = new AuditedPositions();
  readonly #accepted = new AcceptedOrder(this.#audited);
  /** By key, the positions of acknowledged writes with a fencing token that no audit has named yet. */
  readonly #unaudited = new Map<string, Map<number, string>>();
  #fenced = 0;
  #wasAudited = false;
  #skipped = false;
  #acknowledged = false;

  constructor(evidence: SharedEvidence) {
    this.#evidence = evidence;
    this.#refused = new RefusedWrites(evidence);
  }

  get remarks(): readonly string[] {
    return [...this.#findings.remarks, ...this.#remarks.all];
  }

  push(step: HistoryStep): void {
    const { event, invocation } = step;
    this.#refused.push(step);
    if (event.type === "audit") this.#audit(event);
    else if (event.type === "ok" && event.f === "acquire" && event.value.fence !== undefined) {
      this.#granted.set(event.key, Math.max(this.#granted.get(event.key) ?? -Infinity, event.value.fence));
    } else if (event.type === "invoke" && event.f === "write") {
      const granted = this.#granted.get(event.key);
      if (granted !== undefined) this.#grantedAtWrite.set(event.process, granted);
    } else if (event.type !== "fault" && event.f === "write") {
      const granted = this.#grantedAtWrite.get(event.process);
      this.#grantedAtWrite.delete(event.process);
      if (event.type !== "ok" || invocation?.f !== "write") return;
      const { fence, data } = invocation.value;
      if (fence === undefined || this.#evidence.isShareable(event.key)) return;
      this.#acknowledge(event.key, event.value.position, data);
      if (granted !== undefined && fence < granted) {
        this.#remarks.add(
          `write ${data} with fencing token ${fence} was accepted after fencing token ${granted} had been granted: a resource that checks fencing tokens refuses it only once it has accepted a larger one`,
        );
      }
    }
  }

  conclude(key: string): void {
    this.#granted.delete(key);
    this.#refused.conclude(key);
  }

  finish(): PropertyVerdict {
    for (const refused of this.#refused.finish()) {
      // Which writes the resource had accepted before it refused one, only an audit in its order tells.
      if (this.#accepted.isDisordered(refused.write.key)) continue;
      this.#findings.add(() => this.#describeRefused(refused));
    }
    this.#report(this.#accepted.finish());
    if (this.#fenced > 0) return this.#findings.verdict(this.#uncovered() ?? VALID);
    if (this.#acknowledged && !this.#wasAudited) {
      return unknown("writes were acknowledged, but the history does not say in which order the resource applied them");
    }
    if (this.#skipped) return notApplicable(`writes ${NOT_JUDGED}`);
    return notApplicable("no write with a fencing token reached the resource");
  }

  #acknowledge(key: string, position: number, data: string): void {
    this.#acknowledged = true;
    if (this.#audited.has(key, position)) return;
    const known = this.#unaudited.get(key);
    if (known === undefined) this.#unaudited.set(key, new Map([[position, data]]));
    else known.set(position, data);
  }

  /** Positions that an incomplete audit does not name: their writes may have been stale. */
  #uncovered(): PropertyVerdict | undefined {
    for (const [key, positions] of this.#unaudited) {
      for (const [position, data] of positions) {
        return unknown(
          `write ${data} to the resource behind ${key} was acknowledged at position ${position}, and the audit does not cover that position`,
        );
      }
    }
    return undefined;
  }

  #audit(event: AuditEvent): void {
    this.#wasAudited = true;
    // Writes of clients that hold at the same time have no order.
    if (this.#evidence.isShareable(event.key)) {
      this.#skipped ||= event.value.fence !== undefined;
      return;
    }
    const { fence, accepted, data, position } = event.value;
    if (fence !== undefined) this.#fenced += 1;
    if (accepted) {
      this.#report(this.#accepted.add(event));
      this.#audited.add(event.key, position);
      this.#unaudited.get(event.key)?.delete(position);
    } else if (fence !== undefined) {
      const largest = this.#accepted.largest(event.key);
      if (largest !== undefined && isBehind(event, fence, largest)) this.#refused.refuse(event, largest.event);
      const after = largest === undefined ? "" : ` after ${largest.fence} was accepted`;
      this.#remarks.add(`write ${data} with fencing token ${fence} was refused${after}`);
    }
  }

  #report(inversions: readonly Inversion[]): void {
    for (const inversion of inversions) this.#findings.add(() => this.#describe(inversion));
  }

  #describeRefused({ hold, write, refusal, audit, accepted, issuedFrom }: RefusedWrite): Violation {
    const { header } = this.#evidence;
    const account = `The resource behind ${write.key} refused write ${write.value.data} of ${holderOf(header, hold)} at ${timeWords(refusal.time)}, because it had accepted fencing token ${accepted.value.fence} of owner ${shortOwner(accepted.value.owner ?? "unknown")}. The client that it refused had held the lock since ${timeWords(hold.grantedTime)}, with a lease until ${timeWords(hold.leaseEnd)}, and no client had been granted it since.`;
    return explain(
      account,
      [hold.grantedIndex, accepted.index, write.index, audit.index, refusal.index],
      refusedHypotheses(accepted.value.fence === write.value.fence, [issuedFrom, hold.grantedTime], this.#evidence),
    );
  }

  #describe({ earlier: largest, later: { event, fence } }: Inversion): Violation {
    const write = (audited: AuditEvent): string =>
      `write ${audited.value.data} (owner ${shortOwner(statedOwner(audited) ?? audited.value.owner ?? "unknown")})`;
    const stale = fence < largest.fence;
    const { position } = event.value;
    const account = stale
      ? `The resource behind ${event.key} accepted ${write(event)} with fencing token ${fence} at position ${position}, after it had accepted ${write(largest.event)} with fencing token ${largest.fence} at position ${largest.event.value.position}: a write of an older grant replaced that of a newer one.`
      : `The resource behind ${event.key} accepted ${write(event)} with fencing token ${fence}, the same as that of ${write(largest.event)}: two owners share a fencing token, and the resource cannot tell which of them is newer.`;
    const why = stale
      ? "the resource must reject a fencing token smaller than the largest it has accepted, and store that token as durably as the data"
      : "the resource must reject an equal fencing token from another owner";
    const remedies = ["fencing-resource"] as const;
    return explain(
      account,
      [largest.event.index, event.index],
      [
        ...forgottenFences(largest.event, event, this.#evidence),
        { cause: "stale-accepted", events: [], why, ground: { on: "history" }, remedies },
      ],
    );
  }
}
