import { type FaultTraits, holdsMessages, isUnknown, pausesClients, stopsNodes } from "../../core/fault-traits.ts";
import type { FaultEvent } from "../../history/history.ts";
import type { Hypothesis, Remedy } from "../../core/verdict.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { Hold } from "../../history/holds.ts";
import { hadNoEffect, type LeaseCut } from "../../history/leases.ts";
import { isOverOnArrival, latestEnd } from "../evidence/latest-end.ts";
import type { Overlap } from "../evidence/overlaps.ts";
import { clientInWords, clientNamed, faultInWords, timeWords } from "../words.ts";

/**
 * Why two holds overlap although their leases do not, the most likely first. A holder whose lease was over when the
 * overlap began has outlived it: mostly the first holder; the second if its grant was over on arrival. A request for a
 * shorter lease, of unknown outcome, may have ended the lease of either. The grant of a second holder that may have
 * waited may have been under way for longer than its lease. Empty if neither lease was over.
 */
export function overruns(overlap: Overlap, evidence: SharedEvidence): readonly Hypothesis[] {
  const { first, second, from, firstLeaseEnd } = overlap;
  const toldEnd = overlap.firstLeaseCut?.toldEnd ?? firstLeaseEnd;
  if (latestEnd(first, toldEnd) <= from) return outlived(first, toldEnd, from, evidence);
  if (isOverOnArrival(second)) return overOnArrival(second, evidence);
  // Where neither lease is over for certain, either client may be the one that held too long.
  if (toldEnd <= from) return [...outlived(first, toldEnd, from, evidence), ...perhapsLate(second, evidence)];
  const ofFirst = perhapsCut(first, from, overlap.firstLeaseCut, evidence);
  if (ofFirst.length > 0) return ofFirst;
  const ofSecond = perhapsCut(second, from, overlap.secondLeaseCut, evidence);
  return ofSecond.length > 0 ? ofSecond : perhapsLate(second, evidence);
}

/** Whether one of the two leases was over for certain when the overlap began. */
export function isCertainlyOver({ first, second, from, firstLeaseEnd, firstLeaseCut }: Overlap): boolean {
  return latestEnd(first, firstLeaseCut?.toldEnd ?? firstLeaseEnd) <= from || isOverOnArrival(second);
}

/** The lease was perhaps over at `from`, though its holder was told more: a request of unknown outcome asked for less. */
function perhapsCut(
  hold: Hold,
  from: number,
  cut: LeaseCut | undefined,
  { header }: SharedEvidence,
): readonly Hypothesis[] {
  // One that failed had no effect after all.
  const request = cut?.requests.find(({ by, end }) => end <= from && !hadNoEffect(by, hold));
  if (cut === undefined || request === undefined) return [];
  const { f, invokedIndex, process, outcome } = request.by;
  const client = clientInWords(header, hold.process);
  const what = `${f === "extend" ? "an extension" : "an acquire"} by ${clientInWords(header, process)} (event ${invokedIndex})`;
  const answer = outcome === "ok" ? "which was not answered yet" : "of which nobody knows whether it took effect";
  return [
    {
      cause: "overrun",
      events: [invokedIndex],
      shown: `the lease of ${client} may have ended at ${timeWords(request.end)} already, and not at ${timeWords(cut.toldEnd)}: ${what}, ${answer}, had asked for a shorter lease`,
      why: `that ${f === "extend" ? "extension" : "acquire"} took effect, and its client did not know`,
      ground: { on: "operation", invoked: invokedIndex },
      remedies: ["fencing-resource"],
    },
  ];
}

/** The client held, or continued to work, after its lease. */
function outlived(hold: Hold, leaseEnd: number, from: number, evidence: SharedEvidence): readonly Hypothesis[] {
  if (isOverOnArrival(hold) && leaseEnd === hold.grantedLeaseEnd) return overOnArrival(hold, evidence);
  const client = clientInWords(evidence.header, hold.process);
  const end = latestEnd(hold, leaseEnd);
  const known = end <= from;
  const by = hold.vague || hold.clockSlack > 0 ? ", at the latest," : "";
  const shown = known
    ? `the lease of ${client} had ended at ${timeWords(end)}${by === "" ? "," : by} so the lock kept its promise and was free to grant the key to another client; ${client} had outlived its lease by ${timeWords(from - end)} then`
    : `the lease of ${client} may have ended as early as ${timeWords(Math.max(leaseEnd, hold.invokedTime))}: ${hold.vague ? "the client may have waited for the lock, and the lock does not report when the lease began" : exactTo(hold)}`;
  const caught = known && isUnderWay(hold.lateWrite, end, from) ? hold.lateWrite?.data : undefined;
  const shared = { cause: "overrun", events: [], shown, grant: hold.grantedIndex } as const;
  const accuse = ({ fault, how, remedies }: Suspect): Hypothesis => ({
    ...shared,
    fault: fault.index,
    accused: faultInWords(fault),
    why: how,
    ground: { on: "faults", faults: [fault.index] },
    remedies,
  });
  return [
    ...suspects(hold, leaseEnd, from, evidence).map(accuse),
    {
      ...shared,
      why:
        caught === undefined
          ? `${client} held longer than its lease`
          : `its write ${caught} was under way when its lease ended`,
      ground: known ? { on: "history" } : { on: "remedy", remedy: "local-timer" },
      // A timer stops no write that is on its way.
      remedies: caught === undefined ? ["local-timer", "fencing-resource"] : ["fencing-resource", "local-timer"],
    },
  ];
}

/** Whether this write was under way from the end of the lease until the other client had been granted the lock. */
function isUnderWay(write: Hold["lateWrite"], leaseEnd: number, from: number): boolean {
  return write !== undefined && write.begun <= leaseEnd && write.until >= from;
}

/** A coarse clock leaves the end of a lease open by two of its steps. */
function exactTo({ clockSlack }: Hold): string {
  return `the times of this history are exact to ${timeWords(clockSlack / 2)} only`;
}

/** A fault that may have kept a client from noticing the end of its lease. */
interface Suspect {
  readonly fault: FaultEvent;
  readonly how: string;
  readonly remedies: readonly Remedy[];
}

/** Why a client outlived its lease: of each kind of fault the latest first. */
function suspects(hold: Hold, leaseEnd: number, from: number, evidence: SharedEvidence): readonly Suspect[] {
  const { header, faults } = evidence;
  const client = clientInWords(header, hold.process);
  const named = clientNamed(header, hold.process);
  const pauses = pausesOf(hold, evidence, hold.invokedTime, from);
  const cut = faults.during(holdsMessages, hold.grantedTime, from).filter((fault) => concerns(fault, hold, evidence));
  const hits = faults.during(isUnknown, hold.grantedTime, from).filter((fault) => hitsClient(fault, named));
  // Its lease may have begun at any time after it asked.
  const delays = hold.vague ? faults.during(delaysReplies, hold.invokedTime, hold.grantedTime) : [];
  const delayed = delays.filter((fault) => !cut.includes(fault) && concerns(fault, hold, evidence));
  return [
    ...pauses.toReversed().map((fault): Suspect => {
      const by = faultInWords(fault, named);
      return isStoppedThroughout(fault, leaseEnd, from, evidence)
        ? {
            fault,
            how: `${client} was stopped by ${by} and could not notice`,
            remedies: ["fencing-resource", "local-timer"],
          }
        : { fault, how: `${client} was held up by ${by}`, remedies: ["local-timer", "fencing-resource"] };
    }),
    ...cut.toReversed().map((fault): Suspect => ({
      fault,
      how: `${client} ran, but ${faultInWords(fault)} delayed its requests or the answers to them`,
      remedies: ["local-timer", "fencing-resource"],
    })),
    ...hits.toReversed().map((fault): Suspect => ({
      fault,
      how: `${faultInWords(fault, named)} hit ${client}, which may have been unable to notice`,
      remedies: ["fencing-resource", "local-timer"],
    })),
    ...delayed.toReversed().map((fault): Suspect => ({
      fault,
      how: `${faultInWords(fault)} delayed the grant of ${client}, so its lease had begun long before it was told, and it held longer than its lease`,
      remedies: ["fencing-resource"],
    })),
  ];
}

/**
 * The grant arrived after its lease was over: by the validity that the lock reported, or by its TTL from the request
 * on.
 */
function overOnArrival(hold: Hold, evidence: SharedEvidence): readonly Hypothesis[] {
  const client = clientInWords(evidence.header, hold.process);
  const measured = hold.validityReported
    ? "the lease, by the validity that the lock reported,"
    : "the TTL, counted from the request,";
  const shown = `when the grant reached ${client} its lease was already over: it asked at ${timeWords(hold.invokedTime)}, was granted the lock at ${timeWords(hold.grantedTime)}, and ${measured} had ended at ${timeWords(latestEnd(hold, hold.grantedLeaseEnd))}${hold.clockSlack > 0 ? " at the latest" : ""}`;
  const [pause] = pausesOf(hold, evidence, hold.invokedTime, hold.grantedTime);
  const shared = { events: [hold.invokedIndex], shown, grant: hold.grantedIndex };
  const remedies: readonly Remedy[] = ["elapsed-check", "local-timer", "fencing-resource"];
  const cause = hold.validityReported ? "expired-grant" : "overrun";
  const late: Hypothesis[] =
    pause === undefined
      ? []
      : [
          {
            ...shared,
            cause,
            fault: pause.index,
            accused: faultInWords(pause),
            why: `in between ${client} was stopped by ${faultInWords(pause, clientNamed(evidence.header, hold.process))}`,
            ground: { on: "faults", faults: [pause.index] },
            remedies,
          },
        ];
  return [
    ...late,
    {
      ...shared,
      cause,
      why:
        hold.validityReported && hold.mayHaveWaited
          ? "neither the lock nor the client refused what was over; a lock that waits must count the validity from the try that succeeded"
          : "after the delay neither the lock nor the client compared the elapsed time with the TTL",
      ground: { on: "history" },
      remedies,
    },
  ];
}

/**
 * The lock may have waited and does not report when the lease began, or a coarse clock leaves open when it ended. The lock may
 * have granted in time what arrived late, and have granted the key to another client once that lease was over.
 */
function perhapsLate(hold: Hold, evidence: SharedEvidence): readonly Hypothesis[] {
  const { invokedTime, grantedTime, grantedLeaseEnd, vague, clockSlack } = hold;
  if ((!vague && clockSlack === 0) || grantedLeaseEnd > grantedTime) return [];
  const { header, faults } = evidence;
  const client = clientInWords(header, hold.process);
  const shown = `the lease of ${client} may have ended as early as ${timeWords(Math.max(grantedLeaseEnd, invokedTime))}, before the grant reached it: it asked at ${timeWords(invokedTime)} and was granted the lock at ${timeWords(grantedTime)}, and ${vague ? "the lock does not report when the lease began" : exactTo(hold)}`;
  const late = {
    cause: "overrun",
    events: [hold.invokedIndex],
    shown,
    grant: hold.grantedIndex,
    // No client can tell that such a lease is over: neither a check on arrival nor a timer would end it in time.
    remedies: ["fencing-resource"],
  } as const;
  const accuse = (fault: FaultEvent, how: string): Hypothesis => ({
    ...late,
    fault: fault.index,
    accused: faultInWords(fault),
    why: how,
    ground: { on: "faults", faults: [fault.index] },
  });
  const pauses = pausesOf(hold, evidence, invokedTime, grantedTime);
  const delays = faults
    .during(delaysReplies, invokedTime, grantedTime)
    .filter((fault) => concerns(fault, hold, evidence));
  return [
    ...pauses
      .toReversed()
      .map((fault) =>
        accuse(
          fault,
          `${client} was stopped by ${faultInWords(fault, clientNamed(header, hold.process))} before it could read its grant`,
        ),
      ),
    ...delays.toReversed().map((fault) => accuse(fault, `${faultInWords(fault)} delayed the grant of ${client}`)),
    { ...late, why: `the grant of ${client} arrived late`, ground: { on: "faults", faults: [] } },
  ];
}

function pausesOf(hold: Hold, { faults, holds }: SharedEvidence, from: number, to: number): readonly FaultEvent[] {
  return faults
    .during(pausesClients, from, to)
    .filter(({ value }) =>
      (value.processes ?? []).some(
        (process) => holds.sameClient(hold.process, process) || holds.sameClient(hold.currentProcess, process),
      ),
    );
}

/** Whether the pause lasted from the end of the client's lease, or earlier, to the beginning of the overlap. */
function isStoppedThroughout(pause: FaultEvent, leaseEnd: number, from: number, { faults }: SharedEvidence): boolean {
  const healed = faults.faults.find(({ event }) => event === pause)?.healed;
  return pause.time <= leaseEnd && (healed?.time ?? Infinity) >= from;
}

/** Whether a grant can be under way for as long as the fault is in force. */
function delaysReplies(traits: FaultTraits): boolean {
  return holdsMessages(traits) || stopsNodes(traits);
}

/** Whether this client is what a fault hit, and not only a link of it. */
function hitsClient({ value }: FaultEvent, client: string): boolean {
  return value.targets.length === 1 && value.targets[0] === client;
}

/** Whether a fault of the network names this client, or names none. */
function concerns({ value }: FaultEvent, hold: Hold, { header }: SharedEvidence): boolean {
  const clients = value.targets.filter((target) => target.startsWith("client-"));
  return clients.length === 0 || header.clients === undefined || clients.includes(clientNamed(header, hold.process));
}
