import { isEndless } from "../../harness/history/holds/endless-lease.ts";
import { printable } from "../../harness/core/printable.ts";
import { RESOURCE } from "../../harness/core/topology.ts";
import { formatMs } from "../wording.ts";
import { isPromotion } from "./fault-spans.ts";
import type { Timeline } from "./timeline.ts";

/** What a client or a server goes by at an instant, right or wrong. */
export interface Belief {
  readonly lane: string;
  readonly says: string;
  /** Whether a client believes that it holds a lock. */
  readonly holds: boolean;
}

/**
 * What each of these clients and nodes believes at an instant. A client believes what its operations told it: from the
 * grant to its release it holds, even if its lease ended meanwhile.
 * @param time nanoseconds since the start of the run
 */
export function beliefsAt(lanes: readonly string[], time: number, timeline: Timeline): readonly Belief[] {
  return lanes
    .filter((lane) => lane !== RESOURCE)
    .map((lane) => {
      const client = lane.startsWith("client-");
      const held = client ? heldBy(lane, time, timeline) : [];
      const own = client
        ? [...held, ...(held.length === 0 ? askedBy(lane, time, timeline) : [])]
        : roleOf(lane, time, timeline);
      const hit = faultsOn(lane, time, timeline);
      const known = own.length === 0 && hit.length === 0 ? [client ? "does nothing" : "no fault"] : own;
      return {
        lane,
        says: [...known, ...(hit.length === 0 ? [] : [hit.join(", ")])].join("; "),
        holds: held.length > 0,
      };
    });
}

function heldBy(lane: string, time: number, { holds }: Timeline): readonly string[] {
  return holds
    .filter((hold) => hold.actor === lane && hold.from <= time && time < hold.to)
    .map(({ key, lease, prolonged, grantedUntil }) => {
      const until = prolonged.findLast((step) => step.time <= time)?.until ?? grantedUntil;
      const covered = lease.some(({ from, to }) => from <= time && time < to);
      return covered && until > time
        ? `holds ${printable(key)}${isEndless(until - time) ? "" : `, lease for another ${formatMs(until - time)}`}`
        : `holds ${printable(key)}, though its lease ended ${formatMs(Math.max(0, time - until))} ago`;
    });
}

function askedBy(lane: string, time: number, { operations }: Timeline): readonly string[] {
  const open = operations.find(({ actor, from, to }) => actor === lane && from <= time && time < to);
  if (open === undefined) return [];
  return [
    open.f === "acquire" ? `asks for ${printable(open.key)}` : `waits for its ${open.f} of ${printable(open.key)}`,
  ];
}

function roleOf(lane: string, time: number, { faults, bands }: Timeline): readonly string[] {
  const promoted = faults.findLast((fault) => isPromotion(fault) && fault.from <= time && fault.targets.includes(lane));
  const given = bands.filter((band) => band.server === lane && band.from <= time && time < band.to);
  return [
    ...(promoted === undefined ? [] : [`master since ${formatMs(promoted.from)}`]),
    ...given.map(({ actor, key, expires }) => {
      const left = expires === undefined ? "without end" : `for another ${formatMs(expires - time)}`;
      return `thinks ${actor} holds ${printable(key)} ${left}`;
    }),
    ...(given.length === 0 && bands.length > 0 && lane.startsWith("node-") ? ["thinks nobody holds"] : []),
  ];
}

function faultsOn(lane: string, time: number, { faults }: Timeline): readonly string[] {
  const inForce = faults.filter(
    (fault) =>
      fault.outcome !== "skipped" &&
      !isPromotion(fault) &&
      fault.lanes.includes(lane) &&
      fault.from <= time &&
      time < fault.to,
  );
  return [...new Set(inForce.map(({ kind }) => printable(kind)))];
}
