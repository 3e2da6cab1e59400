import { printable } from "../../harness/core/printable.ts";
import { isPromotion, type FaultSpan } from "./fault-spans.ts";
import type { HoldSpan } from "../../harness/history/hold-spans.ts";
import { intersection, uncovered, type Interval } from "../../harness/history/interval.ts";
import { titleOf, type RunRecord } from "./run-record.ts";
import { spaceTimeOf, type Message, type SpaceTime } from "./space-time.ts";
import type { ServerBand } from "./server-bands.ts";
import { overlapWords, storiesOf, type Story } from "./story.ts";
import { wrap } from "../text-style.ts";
import { timelineOf, type Timeline } from "./timeline.ts";
import { listed } from "../../harness/core/listed.ts";
import { causeWords } from "./share-words.ts";
import { formatOverlap } from "../wording.ts";
import { element, escapeXml } from "../xml.ts";
import { inFigures } from "../../harness/core/words/in-figures.ts";

const LEFT = 96;
/** Between lines that exchange messages, and between those that faults hit. */
const WIDE = 190;
const NARROW = 110;
const RIGHT = 120;
const TOP = 64;

/** What is known of the messages at their servers. */
const ARRIVALS: Readonly<Record<SpaceTime["seenAt"], string>> = {
  servers: "pale bars: a server thinks that a client holds, red: a second client",
  proxy: "messages as a proxy saw them: their arrival at nodes, and what nodes held, was not observed",
  nowhere: "the arrival time of messages at nodes was not observed",
};

/**
 * One violation of a run as a space-time diagram: a vertical line for each client, node and the resource, time running
 * down, messages as arrows, holds as bars. A self-contained SVG for papers and slides; inside a page it takes the
 * page's colours from its custom properties. Undefined where there is no such violation.
 * @param which the violation, counted from 0 in the order of the text report
 */
export function renderSvg(run: RunRecord, which = 0): string | undefined {
  const timeline = timelineOf(run.history, run.wire);
  const story = storiesOf(run.verdict, timeline, run.history.events)[which];
  return story === undefined ? undefined : drawStory(run, story, timeline, true);
}

/** The diagram of a story of a run; without `captioned` the surrounding page gives title and explanation. */
export function drawStory(run: RunRecord, story: Story, timeline: Timeline, captioned: boolean): string {
  const topology = run.plan?.topology.kind ?? run.history.header["topology"];
  const diagram = spaceTimeOf(story, timeline, typeof topology === "string" ? topology : undefined);
  return new Diagram(diagram, story, titleOf(run), captioned).render();
}

class Diagram {
  readonly #diagram: SpaceTime;
  readonly #story: Story;
  readonly #title: string;
  readonly #captioned: boolean;
  /** The height of each time. */
  readonly #heights: ReadonlyMap<number, number>;
  readonly #places: ReadonlyMap<string, number>;
  readonly #bottom: number;

  constructor(diagram: SpaceTime, story: Story, title: string, captioned: boolean) {
    this.#diagram = diagram;
    this.#story = story;
    this.#title = title;
    this.#captioned = captioned;
    this.#heights = heightsOf(diagram.times);
    this.#places = placesOf(diagram);
    this.#bottom = Math.max(TOP, ...this.#heights.values()) + 24;
  }

  render(): string {
    const width = Math.max(LEFT + WIDE, ...this.#places.values()) + RIGHT;
    const { explanation } = this.#story.violation;
    const overlap = this.#overlap();
    const arrivals = ARRIVALS[this.#diagram.seenAt];
    const heading = `${printable(this.#title)}: ${causeWords(this.#story)}`;
    const caption = !this.#captioned ? [] : wrap(printable(explanation), Math.floor((width - 32) / 6.4));
    const height = this.#bottom + 44 + caption.length * 17 + 12;
    const shape = {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
    };
    return `${element("svg", { ...shape, class: "lockstorm-diagram" }, [
      element("title", {}, [escapeXml(`${heading} (${listed(this.#story.properties)})`)]),
      element("desc", {}, [escapeXml(printable(explanation))]),
      `<style>${STYLE}</style>`,
      DEFINITIONS,
      element("rect", { class: "ls-page", width, height }),
      this.#captioned ? text(16, 24, "ls-heading", heading) : "",
      overlap.field,
      ...[...this.#places.keys()].map((line) => this.#line(line)),
      ...this.#diagram.bands.map((band) => this.#band(band)),
      ...this.#diagram.faults.flatMap((fault) => this.#fault(fault)),
      ...this.#diagram.holds.flatMap((hold) => this.#hold(hold)),
      ...this.#diagram.messages.map((message) => this.#arrow(message)),
      ...this.#diagram.messages.map((message) => this.#label(message)),
      overlap.label,
      ...this.#times(),
      text(
        16,
        this.#bottom + 22,
        "ls-small",
        `Time runs down and is not to scale; ${arrivals}. Bars: solid within a lease, hatched after it.`,
      ),
      ...caption.map((line, index) => text(16, this.#bottom + 46 + index * 17, "ls-text", line)),
    ])}\n`;
  }

  #x(line: string): number {
    return this.#places.get(line) ?? LEFT;
  }

  /** Heights between drawn times are interpolated; those outside are clamped to the diagram. */
  #y(time: number): number {
    const { times } = this.#diagram;
    const next = times.findIndex((candidate) => candidate >= time);
    if (next === -1) return this.#bottom - 8;
    const to = times[next] ?? time;
    const from = times[next - 1] ?? to;
    const low = this.#heights.get(from) ?? TOP;
    const high = this.#heights.get(to) ?? TOP;
    return to === from ? high : low + ((high - low) * (time - from)) / (to - from);
  }

  #line(line: string): string {
    const x = this.#x(line);
    return (
      element("line", { class: "ls-line", x1: x, x2: x, y1: TOP - 12, y2: this.#bottom }) +
      text(x, TOP - 20, "ls-name", line, "middle")
    );
  }

  /** The overlap: its area is behind everything, its label in front. */
  #overlap(): { readonly field: string; readonly label: string } {
    const { overlap } = this.#story.violation;
    const xs = this.#story.holds.map(({ actor }) => this.#x(actor));
    if (overlap === undefined || xs.length < 2) return { field: "", label: "" };
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [this.#y(overlap.from), this.#y(overlap.to)];
    const shape = { x: left - 12, y: top, width: right - left + 24, height: Math.max(2, bottom - top) };
    const words = `${overlapWords(this.#story)} for ${formatOverlap(overlap)}`;
    return {
      field: element("rect", { class: "ls-overlap", ...shape }),
      label: text((left + right) / 2, bottom - 6, "ls-overlap-label", words, "middle"),
    };
  }

  #band({ server, actor, from, to, twice }: ServerBand): string {
    const { window } = this.#diagram;
    const [top, bottom] = [this.#y(Math.max(from, window.from)), this.#y(Math.min(to, window.to))];
    const shape = { x: this.#x(server) - 8, y: top, width: 16, height: Math.max(2, bottom - top) };
    const title = element("title", {}, [escapeXml(`${server} thinks ${actor} holds`)]);
    return element("rect", { class: twice ? "ls-band ls-twice" : "ls-band", ...shape }, [title]);
  }

  #hold(hold: HoldSpan): readonly string[] {
    const x = this.#x(hold.actor) - 5;
    const whole = intersection(hold, this.#diagram.window);
    if (whole === undefined) return [];
    const bar = (part: Interval, name: string): string => {
      const [top, bottom] = [this.#y(part.from), this.#y(part.to)];
      return element("rect", { class: name, x, y: top, width: 10, height: Math.max(2, bottom - top) });
    };
    return [
      ...hold.lease
        .map((part) => intersection(part, whole))
        .filter((part) => part !== undefined)
        .map((part) => bar(part, "ls-lease")),
      ...uncovered(whole, hold.lease).map((part) => bar(part, "ls-overrun")),
    ];
  }

  #fault(fault: FaultSpan): readonly string[] {
    const lines = fault.lanes.filter((lane) => this.#places.has(lane));
    const top = this.#y(Math.max(fault.from, this.#diagram.window.from));
    const promotion = isPromotion(fault);
    if (promotion || fault.from === fault.to) {
      const label = promotion ? "becomes master" : fault.kind;
      return lines.flatMap((line) => [
        element("circle", {
          class: promotion ? "ls-promotion" : "ls-jolt",
          cx: this.#x(line),
          cy: top,
          r: 6,
        }),
        text(this.#x(line) + 12, top + 4, "ls-fault-label", label),
      ]);
    }
    const bottom = this.#y(Math.min(fault.to, this.#diagram.window.to));
    return lines.flatMap((line, index) => [
      element("rect", {
        class: "ls-fault",
        x: this.#x(line) - 10,
        y: top,
        width: 20,
        height: Math.max(3, bottom - top),
      }),
      index === 0 ? text(this.#x(line) + 14, top + 4, "ls-fault-label", fault.kind) : "",
    ]);
  }

  #arrow({ from, to, kind }: Message): string {
    const [x1, x2] = [this.#x(from.line), this.#x(to.line)];
    const direction = Math.sign(x2 - x1);
    const arrow = { class: `ls-message ls-${kind}`, "marker-end": `url(#ls-arrow-${kind})` };
    const ends = { x1: x1 + 6 * direction, y1: this.#y(from.time), x2: x2 - 7 * direction, y2: this.#y(to.time) };
    return element("line", { ...arrow, ...ends });
  }

  /** Labels are drawn after all arrows, so that no arrow crosses one. */
  #label({ from, to, label }: Message): string {
    const x = (this.#x(from.line) + this.#x(to.line)) / 2;
    const y = (this.#y(from.time) + this.#y(to.time)) / 2;
    return text(x, y - 3, "ls-label", label, "middle");
  }

  #times(): readonly string[] {
    let last = -Infinity;
    return this.#diagram.times.flatMap((time) => {
      const y = this.#y(time);
      if (y - last < 13) return [];
      last = y;
      return [text(LEFT - 24, y + 4, "ls-time", `${inFigures(time / 1e6, 1)} ms`, "end")];
    });
  }
}

function placesOf({ lines, bystanders }: SpaceTime): ReadonlyMap<string, number> {
  const places = new Map(lines.map((line, index) => [line, LEFT + WIDE * index]));
  const last = LEFT + WIDE * (lines.length - 1);
  bystanders.forEach((line, index) => places.set(line, last + NARROW * (index + 1)));
  return places;
}

/** Times further apart are drawn further apart, but by the logarithm: a millisecond must be visible beside a minute. */
function heightsOf(times: readonly number[]): ReadonlyMap<number, number> {
  const heights = new Map<number, number>();
  let y = TOP + 8;
  times.forEach((time, index) => {
    const before = times[index - 1];
    if (before !== undefined) y += Math.min(64, 15 + 9 * Math.log10(1 + (time - before) / 2e5));
    heights.set(time, Math.round(y));
  });
  return heights;
}

function text(x: number, y: number, name: string, content: string, anchor?: "middle" | "end"): string {
  return element("text", { class: name, x: Math.round(x), y: Math.round(y), "text-anchor": anchor }, [
    escapeXml(content),
  ]);
}

function marker(kind: string): string {
  const shape = `<path class="ls-head-${kind}" d="M0 0 8 4 0 8z"/>`;
  return `<marker id="ls-arrow-${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">${shape}</marker>`;
}

const DEFINITIONS = `<defs>${["request", "granted", "refused", "reply"].map(marker).join("")}<pattern id="ls-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ls-hatch-ground" width="6" height="6"/><rect class="ls-hatch-stroke" width="3" height="6"/></pattern><pattern id="ls-fault-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect class="ls-fault-stroke" width="2" height="6"/></pattern></defs>`;

const COLORS = {
  page: "var(--page, #ffffff)",
  ink: "var(--ink, #1c2127)",
  soft: "var(--soft, #5c6670)",
  line: "var(--line, #c9ced4)",
  lease: "var(--lease, #1a7f4b)",
  overrun: "var(--overrun, #a05200)",
  bad: "var(--bad, #c42b2b)",
  fault: "var(--fault, #7a3fb0)",
  note: "var(--note, #1763a8)",
};

const STYLE = `
.lockstorm-diagram text{font:12px system-ui,sans-serif;fill:${COLORS.ink}}
.lockstorm-diagram .ls-page{fill:${COLORS.page}}
.lockstorm-diagram .ls-heading{font-size:15px;font-weight:600}
.lockstorm-diagram .ls-name{font-weight:600}
.lockstorm-diagram .ls-small,.lockstorm-diagram .ls-time{font-size:11px;fill:${COLORS.soft}}
.lockstorm-diagram .ls-label{font-size:11px;paint-order:stroke;stroke:${COLORS.page};stroke-width:3px}
.lockstorm-diagram .ls-line{stroke:${COLORS.line};stroke-width:1.5}
.lockstorm-diagram .ls-lease{fill:${COLORS.lease}}
.lockstorm-diagram .ls-overrun{fill:url(#ls-hatch);stroke:${COLORS.overrun};stroke-width:1}
.lockstorm-diagram .ls-hatch-ground{fill:${COLORS.page}}.lockstorm-diagram .ls-hatch-stroke{fill:${COLORS.overrun}}
.lockstorm-diagram .ls-band{fill:${COLORS.lease};opacity:.25}
.lockstorm-diagram .ls-twice{fill:${COLORS.bad};opacity:.45}
.lockstorm-diagram .ls-fault{fill:url(#ls-fault-hatch);stroke:${COLORS.fault};stroke-width:.75}
.lockstorm-diagram .ls-fault-stroke{fill:${COLORS.fault};opacity:.45}
.lockstorm-diagram .ls-fault-label{font-size:11px;fill:${COLORS.fault};paint-order:stroke;stroke:${COLORS.page};stroke-width:3px}
.lockstorm-diagram .ls-jolt{fill:${COLORS.fault}}.lockstorm-diagram .ls-promotion{fill:${COLORS.note}}
.lockstorm-diagram .ls-overlap{fill:${COLORS.bad};opacity:.14}
.lockstorm-diagram .ls-overlap-label{fill:${COLORS.bad};font-weight:600;paint-order:stroke;stroke:${COLORS.page};stroke-width:3px}
.lockstorm-diagram .ls-message{stroke:${COLORS.soft};stroke-width:1.25}
.lockstorm-diagram .ls-granted{stroke:${COLORS.lease};stroke-width:1.75}.lockstorm-diagram .ls-refused{stroke:${COLORS.overrun};stroke-dasharray:4 3}
.lockstorm-diagram .ls-head-request,.lockstorm-diagram .ls-head-reply{fill:${COLORS.soft}}
.lockstorm-diagram .ls-head-granted{fill:${COLORS.lease}}.lockstorm-diagram .ls-head-refused{fill:${COLORS.overrun}}
`;
