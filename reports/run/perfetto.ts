import { printable } from "../../harness/core/printable.ts";
import { clientName, RESOURCE } from "../../harness/core/topology.ts";
import type { Report, RunRecord } from "./run-record.ts";
import { titleOf } from "./run-record.ts";
import { timelineOf, type Timeline } from "./timeline.ts";
import { storiesOf } from "./story.ts";
import { storySentence } from "./headline.ts";

/** An entry of a trace: times are microseconds, `pid` is a run, `tid` one of its tracks. */
type TraceEntry = Readonly<Record<string, unknown>>;

/**
 * Runs as a trace for Perfetto or Chrome: a track for the operations and one for the holds of each client, one for the
 * faults and one for the thoughts of each server, the writes of the resource, the violations, and arrows where messages
 * went. One object of JSON; ends with a line feed.
 */
export function renderPerfetto({ runs }: Report): string {
  const traceEvents = runs.flatMap((run, index) => traceOf(run, index + 1));
  return `${JSON.stringify({ traceEvents, displayTimeUnit: "ms" })}\n`;
}

/** A slice before it has its place: nanoseconds, and the track that it is asked for. */
interface Slice {
  readonly track: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly args: TraceEntry;
}

/** One end of an arrow: a time in nanoseconds within a slice of a track. */
type ArrowEnd = readonly [track: string, time: number];

/** Perfetto binds an arrow to a slice that is open at its time, so the slice of a message must last, in nanoseconds. */
const LEAST_MESSAGE_NS = 1000;

/**
 * The tracks of one run. Slices of one track must nest: Perfetto draws those that overlap otherwise at wrong places. What
 * does not nest gets another track of the same name with a number.
 */
class Tracks {
  readonly #pid: number;
  readonly #name: string;
  readonly #slices: Slice[] = [];
  readonly #arrows: { readonly name: string; readonly from: ArrowEnd; readonly to: Slice }[] = [];
  /** In the order in which they are first asked for. */
  readonly #asked = new Set<string>();

  constructor(pid: number, name: string) {
    this.#pid = pid;
    this.#name = name;
  }

  slice(track: string, name: string, from: number, to: number, args: TraceEntry = {}): Slice {
    const slice = { track, name, from, to: Math.max(from, to), args };
    this.#asked.add(track);
    this.#slices.push(slice);
    return slice;
  }

  /** An arrow from a slice that covers `from` to a slice. */
  arrow(name: string, from: ArrowEnd, to: Slice): void {
    this.#asked.add(from[0]);
    this.#arrows.push({ name, from, to });
  }

  entries(): readonly TraceEntry[] {
    const places = this.#placed();
    const tracks = [...this.#asked].flatMap((track) => {
      const count = Math.max(1, ...(places.get(track) ?? []).map(({ row }) => row + 1));
      return Array.from({ length: count }, (_, row) => ({ track, row }));
    });
    const numbers = new Map(tracks.map(({ track, row }, index) => [`${row} ${track}`, index + 1]));
    const tidOf = (track: string, row: number): number => numbers.get(`${row} ${track}`) ?? 0;
    const placed = [...places.values()].flat();
    const rowOf = new Map(placed.map(({ slice, row }) => [slice, row]));
    const pid = this.#pid;
    return [
      { ph: "M", pid, tid: 0, name: "process_name", args: { name: printable(this.#name) } },
      ...tracks.flatMap(({ track, row }) => {
        const tid = tidOf(track, row);
        const name = printable(row === 0 ? track : `${track} ${row + 1}`);
        return [
          { ph: "M", pid, tid, name: "thread_name", args: { name } },
          { ph: "M", pid, tid, name: "thread_sort_index", args: { sort_index: tid } },
        ];
      }),
      ...placed.map(({ slice: { track, name, from, to, args }, row }) => {
        const time = { ts: from / 1000, dur: (to - from) / 1000 };
        return { ph: "X", pid, tid: tidOf(track, row), name: printable(name), ...time, args };
      }),
      ...this.#arrows.flatMap(({ name, from: [track, time], to }, index) => {
        const shared = { id: index + 1, cat: "wire", name: printable(name), pid };
        return [
          { ph: "s", ...shared, tid: tidOf(track, 0), ts: time / 1000 },
          { ph: "f", bp: "e", ...shared, tid: tidOf(to.track, rowOf.get(to) ?? 0), ts: to.from / 1000 },
        ];
      }),
    ];
  }

  /** Each slice in the first row of its track where it begins after, or lies within, every slice that is still open. */
  #placed(): ReadonlyMap<string, readonly { readonly slice: Slice; readonly row: number }[]> {
    const placed = new Map<string, { readonly slice: Slice; readonly row: number }[]>();
    const open = new Map<string, Slice[][]>();
    for (const slice of this.#slices.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
      const rows = open.get(slice.track) ?? [];
      open.set(slice.track, rows);
      const fits = (row: Slice[]): boolean => {
        while ((row.at(-1)?.to ?? Infinity) <= slice.from) row.pop();
        return (row.at(-1)?.to ?? Infinity) >= slice.to;
      };
      const found = rows.findIndex(fits);
      const row = found === -1 ? rows.length : found;
      (rows[row] ??= []).push(slice);
      const known = placed.get(slice.track);
      if (known === undefined) placed.set(slice.track, [{ slice, row }]);
      else known.push({ slice, row });
    }
    return placed;
  }
}

function traceOf(run: RunRecord, pid: number): readonly TraceEntry[] {
  const timeline = timelineOf(run.history, run.wire);
  const tracks = new Tracks(pid, `${run.verdict.verdict}: ${titleOf(run)}`);
  for (const story of storiesOf(run.verdict, timeline, run.history.events)) {
    const { overlap } = story.violation;
    const shown = overlap ?? story.window;
    tracks.slice("violations", story.violation.cause, shown.from, shown.to, { says: storySentence(story) });
  }
  for (const { actor, f, key, from, to, outcome, invocation } of timeline.operations) {
    tracks.slice(actor, `${f} ${key}`, from, to, { outcome, event: invocation.index });
  }
  for (const { actor, key, from, to, owner, endedBy, granted } of timeline.holds) {
    const args = { owner: printable(owner), endedBy, event: granted };
    tracks.slice(`${actor} holds`, key, from, to, args);
  }
  for (const { kind, lanes, from, to, outcome, started } of timeline.faults) {
    for (const lane of lanes) tracks.slice(`${lane} faults`, kind, from, to, { outcome, event: started });
  }
  for (const { server, actor, key, from, to, twice } of timeline.bands) {
    tracks.slice(`${server} thinks`, `${actor} holds ${key}${twice ? `, ${timeline.givesTwice}` : ""}`, from, to);
  }
  for (const { time, data, accepted, index } of timeline.writes) {
    tracks.slice(RESOURCE, `${accepted ? "accepts" : "refuses"} ${data}`, time, time, { event: index });
  }
  drawMessages(run, timeline, tracks);
  return tracks.entries();
}

function drawMessages({ wire }: RunRecord, { operations }: Timeline, tracks: Tracks): void {
  const messages = (wire?.messages ?? []).filter(({ keys }) => keys.length > 0);
  for (const { client, operation, server, command, keys, sentNs, reachedNs, appliedNs = 0, reply = "" } of messages) {
    if (reachedNs === undefined) continue;
    const name = `${command} ${keys[0] ?? ""}`;
    const done = Math.max(appliedNs, reachedNs + LEAST_MESSAGE_NS);
    const handled = tracks.slice(server, name, reachedNs, done, { reply: printable(reply) });
    // Some locks send commands between operations, and an arrow needs a slice on both ends.
    const asked = operations.find(({ invocation }) => invocation.index === operation);
    const mine = operations.filter((span) =>
      asked === undefined ? span.client === client : span.actor === asked.actor,
    );
    const sender = asked?.actor ?? mine[0]?.actor ?? clientName(client);
    if (!mine.some(({ from, to }) => from <= sentNs && sentNs < to)) {
      const next = Math.min(sentNs + LEAST_MESSAGE_NS, ...mine.map(({ from }) => from).filter((from) => from > sentNs));
      tracks.slice(sender, `sends ${name}`, sentNs, next);
    }
    tracks.arrow(name, [sender, sentNs], handled);
  }
}
