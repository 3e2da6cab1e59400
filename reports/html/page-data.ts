import { gzipSync } from "node:zlib";
import { actorsOf } from "../../harness/history/clients.ts";
import type { HistoryEvent, HistoryHeader } from "../../harness/history/history.ts";
import { printable } from "../../harness/core/printable.ts";
import { clientName, RESOURCE } from "../../harness/core/topology.ts";
import { causeWords } from "../run/share-words.ts";
import { clockStepsOf } from "../run/clocks/clock-steps.ts";
import type { RunRecord } from "../run/run-record.ts";
import { isPromotion } from "../run/fault-spans.ts";
import { storiesOf, type Story } from "../run/story.ts";
import { byNumber, timelineOf, type Timeline } from "../run/timeline.ts";
import { listed } from "../../harness/core/listed.ts";

/** The data from which the page's script draws a run: the history itself, and its layout. Times are nanoseconds. */
export interface RunData {
  readonly events: readonly HistoryEvent[];
  readonly end: number;
  readonly lanes: readonly LaneData[];
  /** Index of the lane of each event; -1 for an event without a lane. */
  readonly laneOf: readonly number[];
  /** Pairs of indices: an invocation and its completion, or -1 where it has none. */
  readonly operations: readonly (readonly [invocation: number, completion: number])[];
  readonly holds: readonly HoldData[];
  readonly faults: readonly FaultData[];
  /** What servers thought, where that was recorded. */
  readonly bands: readonly BandData[];
  readonly violations: readonly ViolationData[];
  /** Where a lane's wall clock stepped, and by how much. */
  readonly clockSteps: readonly { readonly lane: number; readonly time: number; readonly offset: number }[];
}

export interface LaneData {
  readonly name: string;
  readonly kind: "client" | "node" | "resource";
}

export interface HoldData {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
  readonly lease: readonly { readonly from: number; readonly to: number }[];
  readonly key: string;
  readonly owner: string;
  readonly fence?: number;
  readonly granted: number;
  readonly ended?: number;
  readonly endedBy: string;
  /** When the lease that the grant itself set ended, and what prolonged it: when, and until when. */
  readonly grantedUntil: number;
  readonly prolonged: readonly (readonly [time: number, until: number])[];
}

/** A stretch in which a server thought that a client held a key. */
export interface BandData {
  readonly server: string;
  readonly holder: string;
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly expires?: number;
}

interface FaultData {
  readonly kind: string;
  readonly lanes: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly outcome: string;
  /** Whether a server was seen to become master. */
  readonly promotes: boolean;
  readonly started: number;
  readonly healed?: number;
}

interface ViolationData {
  /** `the grant was lost in a failover (mutual-exclusion and lease-exclusion)`. */
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly overlap?: { readonly from: number; readonly to: number };
  /** The lanes in conflict. */
  readonly lanes: readonly number[];
  /** All lanes that its story is about. */
  readonly matter: readonly number[];
  readonly events: readonly number[];
}

/** A run as the page contains it: JSON, compressed (a history shrinks to about a tenth), in base64. */
export function encodeRun(run: RunRecord): string {
  return gzipSync(JSON.stringify(runData(run), readable), { level: 7 }).toString("base64");
}

/** The page draws foreign text as it is, so invisible characters are removed here, in names of fields too. */
export function readable(_: string, value: unknown): unknown {
  if (typeof value === "string") return printable(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [printable(name), content]));
}

/** Arranges a run for the page. */
export function runData(run: RunRecord): RunData {
  const timeline = timelineOf(run.history, run.wire);
  const { events } = run.history;
  const lanes = lanesOf(timeline, run);
  const place = new Map(lanes.map(({ name }, index) => [name, index]));
  const laneOf = (name: string): number => place.get(name) ?? -1;
  return {
    events,
    end: timeline.end,
    lanes,
    laneOf: events.map((event) => laneOf(laneNameOf(event, timeline, run.history.header))),
    operations: timeline.operations.map(({ invocation, completion }) => [invocation.index, completion?.index ?? -1]),
    bands: timeline.bands.map(({ server, actor, key, from, to, expires }) => ({
      server,
      holder: actor,
      key,
      from,
      to,
      ...(expires === undefined ? {} : { expires }),
    })),
    holds: timeline.holds.map(
      ({ actor, prolonged, from, to, lease, key, owner, fence, granted, grantedUntil, ended, endedBy }) => ({
        grantedUntil,
        prolonged: prolonged.map(({ time, until }) => [time, until] as const),
        lane: laneOf(actor),
        from,
        to,
        lease,
        key,
        owner,
        ...(fence === undefined ? {} : { fence }),
        granted,
        ...(ended === undefined ? {} : { ended }),
        endedBy,
      }),
    ),
    faults: timeline.faults.map((fault) => {
      const { kind, lanes: names, from, to, outcome, started, healed } = fault;
      return {
        kind,
        promotes: isPromotion(fault),
        lanes: names.map(laneOf).filter((lane) => lane >= 0),
        from,
        to,
        outcome,
        started,
        ...(healed === undefined ? {} : { healed }),
      };
    }),
    clockSteps: clockStepsOf(timeline.faults).map((step) => ({ ...step, lane: laneOf(step.lane) })),
    violations: storiesOf(run.verdict, timeline, events).map((story) => violationData(story, laneOf)),
  };
}

function violationData(story: Story, laneOf: (name: string) => number): ViolationData {
  const { overlap, events } = story.violation;
  return {
    label: `${causeWords(story)} (${listed(story.properties)})`,
    ...story.window,
    ...(overlap === undefined ? {} : { overlap }),
    lanes: story.conflicting.map(laneOf),
    matter: story.lanes.map(laneOf).filter((lane) => lane >= 0),
    events,
  };
}

/** Clients, then the nodes and Sentinels that the run names, then the resource. */
export function lanesOf(timeline: Timeline, run: RunRecord): readonly LaneData[] {
  const planned = (run.plan?.clients ?? []).flatMap((_, index) => actorsOf(clientName(index), run.history.header));
  const names = new Set(timeline.faults.flatMap((fault) => fault.lanes));
  const nodes = [...names].filter((name) => !name.startsWith("client-") && name !== RESOURCE);
  const hit = [...names].filter((name) => name.startsWith("client-"));
  const actors = [...new Set([...timeline.actors, ...hit, ...planned])].sort(byNumber);
  return [
    ...actors.map((name) => ({ name, kind: "client" as const })),
    ...nodes.sort(byNumber).map((name) => ({ name, kind: "node" as const })),
    ...(timeline.writes.length > 0 || names.has(RESOURCE) ? [{ name: RESOURCE, kind: "resource" as const }] : []),
  ];
}

function laneNameOf(event: HistoryEvent, timeline: Timeline, header: HistoryHeader): string {
  if (event.type === "fault") {
    return (
      timeline.faults.find(({ started, healed }) => started === event.index || healed === event.index)?.lanes[0] ?? ""
    );
  }
  if (event.type === "audit") return RESOURCE;
  if (event.type === "notice") return actorsOf(event.value.targets[0] ?? "", header)[0] ?? "";
  return timeline.actorOf(event.process);
}
