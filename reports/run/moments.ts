import { isEndless } from "../../harness/history/holds/endless-lease.ts";
import { printable } from "../../harness/core/printable.ts";
import { RESOURCE } from "../../harness/core/topology.ts";
import { isPromotion, type FaultSpan } from "./fault-spans.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import { touches } from "../../harness/history/interval.ts";
import { aboutKeys, type Story } from "./story.ts";
import type { Timeline, WriteMark } from "./timeline.ts";
import { listed } from "../../harness/core/listed.ts";
import type { OperationSpan } from "../../harness/history/operation-spans.ts";
import { grantWords, keysWithModes } from "./share-words.ts";
import { drawnOwner, formatMs } from "../wording.ts";

/** An event of a story, in the order of time. */
export interface Moment {
  /** Nanoseconds since the start of the run. */
  readonly time: number;
  /** The lane it belongs to; a fault of several lanes belongs to the first. */
  readonly lane: string;
  /** Index of its event; absent for the end of a lease, which no event records. */
  readonly index?: number;
  readonly text: string;
  /** Its relation to the violation: proof and causes come first when there is no room for everything. */
  readonly weight: "proof" | "cause" | "context";
}

/**
 * The moments of a story, ascending, at most `most` of them: context is dropped first, the farthest moments before the
 * near ones.
 */
export function momentsOf(
  story: Story,
  timeline: Timeline,
  most: number,
): { readonly moments: readonly Moment[]; readonly leftOut: number } {
  const modal = keysWithModes(timeline);
  const mine = aboutKeys(story, timeline);
  const holds = holdsIn(story, timeline);
  const owners = holds.map(({ owner }) => owner);
  const several = new Set(holds.map(({ key }) => key)).size > 1;
  const ofKey = ({ key }: HoldSpan): string => (several ? ` of ${printable(key)}` : "");
  const all = [
    ...holds.flatMap((hold) => holdMoments(hold, story, { modal, owners, of: ofKey })),
    ...story.faults.flatMap((fault) => faultMoments(fault, story)),
    ...writeMoments(story, mine),
    ...secondGrants(story, mine),
    ...queueMoments(story, timeline),
  ];
  const told = new Set(all.map(({ index }) => index));
  const missing = story.violation.events.filter((index) => !told.has(index));
  const everything = [...all, ...operationMoments(missing, timeline, told)].filter(
    ({ time }) => time >= story.window.from && time <= story.window.to,
  );
  const rank = { proof: 0, cause: 1, context: 2 };
  const { overlap, events } = story.violation;
  const last = everything.filter(({ index }) => index !== undefined && events.includes(index)).at(-1)?.time;
  const focus = overlap?.from ?? last ?? story.window.to;
  const distance = ({ time }: Moment): number => Math.abs(time - focus);
  const kept = new Set(
    everything.toSorted((a, b) => rank[a.weight] - rank[b.weight] || distance(a) - distance(b)).slice(0, most),
  );
  const moments = everything
    .filter((moment) => kept.has(moment))
    .sort((a, b) => a.time - b.time || (a.index ?? Infinity) - (b.index ?? Infinity));
  return { moments, leftOut: everything.length - moments.length };
}

/** The holds that a story shows: the conflicting ones, then others of the same lanes. */
export function holdsIn(story: Story, timeline: Timeline): readonly HoldSpan[] {
  const others = timeline.holds.filter(
    (hold) =>
      !story.holds.some(({ granted }) => granted === hold.granted) &&
      hold.to >= story.window.from &&
      hold.from <= story.window.to &&
      story.lanes.includes(hold.actor),
  );
  return [...story.holds, ...others];
}

/** How holds are told beside the others that a story shows. */
interface Told {
  /** The keys with modes. */
  readonly modal: ReadonlySet<string>;
  /** The owner values of all of them. */
  readonly owners: readonly string[];
  /** The key of a hold (` of k1`), where they have several. */
  readonly of: (hold: HoldSpan) => string;
}

function holdMoments(hold: HoldSpan, story: Story, { modal, owners, of }: Told): readonly Moment[] {
  const lane = hold.actor;
  const proof = (index: number | undefined): Moment["weight"] =>
    index !== undefined && story.violation.events.includes(index) ? "proof" : "context";
  const main = story.holds.includes(hold);
  const fence = hold.fence === undefined ? "" : `, fencing token ${hold.fence}`;
  const granted: Moment = {
    time: hold.from,
    lane,
    index: hold.granted,
    text: `${lane} is granted ${grantWords(hold, modal)} (owner ${drawnOwner(hold.owner, owners)}${fence}, ${leaseWords(hold)})`,
    weight: main ? "proof" : proof(hold.granted),
  };
  const expired: Moment[] =
    hold.leaseUntil < hold.to && hold.leaseUntil > hold.from
      ? [
          {
            time: hold.leaseUntil,
            lane,
            text: `${lane}'s lease${of(hold)} ${isOpen(hold) ? "may be" : "is"} over; it still holds`,
            weight: main ? "cause" : "context",
          },
        ]
      : [];
  const prolonged = hold.prolonged.map(({ by, index, time, until }): Moment => ({
    time,
    lane,
    index,
    text: `${lane} ${by === "extension" ? "extends" : "is notified that the lock renewed"} its lease${of(hold)} (now ${until <= time ? "already over" : formatMs(until - time)})`,
    weight: main ? "cause" : proof(index),
  }));
  const ended: Moment[] =
    hold.ended === undefined || hold.endedBy === "kill"
      ? []
      : [{ time: hold.to, lane, index: hold.ended, text: endText(hold, lane, of(hold)), weight: proof(hold.ended) }];
  return [granted, ...prolonged, ...expired, ...ended];
}

/** Whether the end of its last lease is not known: it is the one of its grant, which may have begun late. */
function isOpen({ vague, prolonged }: HoldSpan): boolean {
  return vague && prolonged.length === 0;
}

function leaseWords({ from, grantedUntil, vague }: HoldSpan): string {
  // Of a lock without leases, or one as good as that: a history does not tell them apart.
  if (isEndless(grantedUntil - from)) return "no lease that ends";
  if (grantedUntil > from) return `lease ${formatMs(grantedUntil - from)}`;
  return vague ? "lease perhaps over already" : "lease already over";
}

function endText(hold: HoldSpan, lane: string, of: string): string {
  if (hold.endedBy === "lost") return `${lane} is notified that its lease${of} is lost`;
  if (hold.endedBy === "abandoned") return `${lane} acquires again without a release${of}`;
  return `${lane} calls release${of} (held ${formatMs(hold.to - hold.from)})`;
}

function faultMoments(fault: FaultSpan, story: Story): readonly Moment[] {
  const lane = fault.lanes[0] ?? "";
  const promotion = isPromotion(fault);
  const weight = fault === story.enabling || promotion ? "cause" : "context";
  const doubt = fault.outcome === "indeterminate" ? ", effect not seen" : "";
  const text = promotion ? promotionText(fault) : `${printable(fault.kind)} ${effectText(fault)}${doubt}`;
  const start: Moment = { time: fault.from, lane, index: fault.started, text, weight };
  if (fault.healed === undefined) return [start];
  return [
    start,
    { time: fault.to, lane, index: fault.healed, text: `${printable(fault.kind)} is over`, weight: "context" },
  ];
}

function promotionText({ targets }: FaultSpan): string {
  return `${targets.length === 0 ? "a replica" : listed(targets.map(printable))} is promoted to master`;
}

/** Other programs' histories may not say what a fault hit. */
function effectText({ targets }: FaultSpan): string {
  return targets.length === 0 ? "begins" : `hits ${listed(targets.map(printable))}`;
}

/** Who stood in the queue, and who asked for the lock after that: what a client that was overtaken saw. */
function queueMoments({ violation: { events } }: Story, { queued, operations }: Timeline): readonly Moment[] {
  const told = queued.filter(({ index }) => events.includes(index));
  if (told.length === 0) return [];
  const asked = operations.filter(({ f, invocation }) => f === "acquire" && events.includes(invocation.index));
  return [
    ...told.map(({ time, index, key, actor: lane }): Moment => {
      return { time, lane, index, text: `${lane} stands in the queue for ${printable(key)}`, weight: "proof" };
    }),
    ...asked.map(({ from, actor: lane, key, invocation: { index } }): Moment => {
      return { time: from, lane, index, text: `${lane} asks for ${printable(key)}`, weight: "proof" };
    }),
  ];
}

/** Where a server gave a lock to a second client although the first still held. */
function secondGrants({ window, lanes }: Story, { bands, givesTwice }: Timeline): readonly Moment[] {
  return bands
    .filter((band) => band.twice && lanes.includes(band.server) && touches(band, window))
    .map(({ server, from, key, actor, clockAheadNs }) => {
      const ahead =
        Math.abs(clockAheadNs) < 1e6
          ? ""
          : `; its clock is ${formatMs(Math.abs(clockAheadNs))} ${clockAheadNs > 0 ? "ahead" : "behind"}`;
      const text = `${printable(server)} ${givesTwice}: it gives ${printable(key)} to ${actor} too${ahead}`;
      return { time: from, lane: server, text, weight: "cause" };
    });
}

function writeMoments(story: Story, timeline: Timeline): readonly Moment[] {
  const author = new Map(timeline.holds.map(({ owner, actor }) => [owner, actor]));
  const mine = new Set(holdsIn(story, timeline).map(({ owner }) => owner));
  return timeline.writes
    .filter(({ owner, index }) => (owner !== undefined && mine.has(owner)) || story.violation.events.includes(index))
    .map((write) => ({
      time: write.time,
      lane: RESOURCE,
      index: write.index,
      text: writeText(write, write.owner === undefined ? undefined : author.get(write.owner)),
      weight: story.violation.events.includes(write.index) ? "proof" : "context",
    }));
}

function writeText({ accepted, data, fence }: WriteMark, author: string | undefined): string {
  const whose = author === undefined ? "" : ` of ${author}`;
  const by = fence === undefined ? "" : `, fencing token ${fence}`;
  return `the resource ${accepted ? "accepts" : "rejects"} write ${printable(data)}${whose}${by}`;
}

/** The operations behind events of the proof that no other moment covers. */
function operationMoments(
  missing: readonly number[],
  timeline: Timeline,
  told: ReadonlySet<number | undefined>,
): readonly Moment[] {
  const wanted = new Set(missing);
  return timeline.operations
    .filter(({ invocation, completion }) => wanted.has(invocation.index) || wanted.has(completion?.index ?? -1))
    .filter(({ completion }) => !told.has(completion?.index))
    .map((span) => ({
      time: wanted.has(span.completion?.index ?? -1) ? span.to : span.from,
      lane: span.actor,
      index: wanted.has(span.completion?.index ?? -1)
        ? (span.completion ?? span.invocation).index
        : span.invocation.index,
      text: operationText(span),
      weight: "proof",
    }));
}

/** The request of an operation and how it ended. */
function operationText({ actor, f, key, outcome, completion }: OperationSpan): string {
  const what = `${actor}: ${f} ${printable(key)}`;
  const value = completion?.value;
  const reason = value !== undefined && "reason" in value ? value.reason : undefined;
  if (f === "release" && value !== undefined && "released" in value) {
    return `${what} says ${value.released ? "released" : "there was nothing to release"}`;
  }
  const unknown = completion === undefined ? "never answered" : "outcome unknown";
  const end = { ok: "done", fail: "refused", info: unknown }[outcome];
  return `${what}: ${end}${reason === undefined ? "" : ` (${printable(reason)})`}`;
}
