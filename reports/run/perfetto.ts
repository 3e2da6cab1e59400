import { printable } from "../../harness/core/printable.ts";
import { clientName, RESOURCE } from "../../harness/core/topology.ts";
import type { Report, RunRecord } from "./run-record.ts";
import { titleOf } from "./run-record.ts";
import { timelineOf } from "./timeline.ts";
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

/** The tracks of one run, numbered as they come. */
class Tracks {
  readonly entries: TraceEntry[] = [];
  readonly #pid: number;
  readonly #numbers = new Map<string, number>();

  constructor(pid: number, name: string) {
    this.#pid = pid;
    this.entries.push({ ph: "M", pid, tid: 0, name: "process_name", args: { name: printable(name) } });
  }

  slice(track: string, name: string, from: number, to: number, args: TraceEntry = {}): void {
    const dur = Math.max(0, to - from) / 1000;
    this.entries.push({
      ph: "X",
      pid: this.#pid,
      tid: this.#number(track),
      name: printable(name),
      ts: from / 1000,
      dur,
      args,
    });
  }

  /** An arrow from a slice that covers `from` to one that covers `to`. */
  arrow(
    id: number,
    name: string,
    from: readonly [track: string, time: number],
    to: readonly [track: string, time: number],
  ): void {
    const ends = [
      ["s", from],
      ["f", to],
    ] as const;
    for (const [ph, [track, time]] of ends) {
      const place = { pid: this.#pid, tid: this.#number(track), ts: time / 1000 };
      this.entries.push({ ph, id, cat: "wire", name: printable(name), ...place, ...(ph === "f" ? { bp: "e" } : {}) });
    }
  }

  #number(track: string): number {
    const known = this.#numbers.get(track);
    if (known !== undefined) return known;
    const tid = this.#numbers.size + 1;
    this.#numbers.set(track, tid);
    const named = { ph: "M", pid: this.#pid, tid };
    this.entries.push({ ...named, name: "thread_name", args: { name: printable(track) } });
    this.entries.push({ ...named, name: "thread_sort_index", args: { sort_index: tid } });
    return tid;
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
  for (const { client, f, key, from, to, outcome, invocation } of timeline.operations) {
    tracks.slice(clientName(client), `${f} ${key}`, from, to, { outcome, event: invocation.index });
  }
  for (const { client, key, from, to, owner, endedBy, granted } of timeline.holds) {
    const args = { owner: printable(owner), endedBy, event: granted };
    tracks.slice(`${clientName(client)} holds`, key, from, to, args);
  }
  for (const { kind, lanes, from, to, outcome, started } of timeline.faults) {
    for (const lane of lanes) tracks.slice(`${lane} faults`, kind, from, to, { outcome, event: started });
  }
  for (const { server, client, key, from, to, twice } of timeline.bands) {
    tracks.slice(
      `${server} thinks`,
      `${clientName(client)} holds ${key}${twice ? `, ${timeline.givesTwice}` : ""}`,
      from,
      to,
    );
  }
  for (const { time, data, accepted, index } of timeline.writes) {
    tracks.slice(RESOURCE, `${accepted ? "accepts" : "refuses"} ${data}`, time, time, { event: index });
  }
  drawMessages(run, tracks);
  return tracks.entries;
}

function drawMessages({ wire }: RunRecord, tracks: Tracks): void {
  const messages = (wire?.messages ?? []).filter(({ keys }) => keys.length > 0);
  messages.forEach(({ client, server, command, keys, sentNs, reachedNs, appliedNs, reply = "" }, index) => {
    if (reachedNs === undefined) return;
    const name = `${command} ${keys[0] ?? ""}`;
    tracks.slice(server, name, reachedNs, appliedNs ?? reachedNs, { reply: printable(reply) });
    tracks.arrow(index + 1, name, [clientName(client), sentNs], [server, reachedNs]);
  });
}
