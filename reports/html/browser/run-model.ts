import type { HistoryEvent } from "../../../harness/history/history.ts";
import type { HoldData, LaneData, RunData } from "../page-data.ts";

/** An item on the timeline that the pointer can select. Times are nanoseconds. */
export interface Item {
  readonly kind: "operation" | "hold" | "fault" | "write" | "lost";
  readonly lane: number;
  readonly from: number;
  readonly to: number;
  /** Index of the event that stands for it, and of the one that completes it. */
  readonly event: number;
  readonly completion?: number | undefined;
  readonly outcome: string;
  readonly label: string;
  /** Of an operation: what it is, and of which key. */
  readonly f?: string;
  readonly key?: string;
  readonly hold?: HoldData;
  /** For a fault: its strip in the lane, so that faults in force together do not cover one another. */
  readonly strip?: number;
}

/** A run arranged for drawing: the items of each lane, ascending in time. */
export interface RunModel {
  readonly data: RunData;
  readonly lanes: readonly LaneItems[];
  /** The item of each event; for a fault of several lanes, the item in its first lane. */
  readonly itemOf: ReadonlyMap<number, Item>;
}

export interface LaneItems extends LaneData {
  readonly index: number;
  readonly operations: readonly Item[];
  readonly holds: readonly Item[];
  readonly faults: readonly Item[];
  readonly marks: readonly Item[];
  /** The operations, and the marks, by what they look like, each ascending in time: the open ones, then the rest, what is rare last. */
  readonly operationSeries: readonly (readonly Item[])[];
  readonly markSeries: readonly (readonly Item[])[];
  /** How many strips its faults need. */
  readonly strips: number;
}

/** Decodes what the page carries. */
export async function loadRun(base64: string): Promise<RunModel> {
  const binary = atob(base64);
  // Without a function for each of millions of characters.
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place += 1) bytes[place] = binary.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return modelOf((await new Response(stream).json()) as RunData);
}

export function modelOf(data: RunData): RunModel {
  const itemOf = new Map<number, Item>();
  const lanes = data.lanes.map((lane, index) => ({
    ...lane,
    index,
    operations: [] as Item[],
    holds: [] as Item[],
    faults: [] as Item[],
    marks: [] as Item[],
    strips: 0,
  }));
  const add = (kind: "operations" | "holds" | "faults" | "marks", item: Item): void => {
    lanes[item.lane]?.[kind].push(item);
    if (kind === "holds") return;
    for (const event of [item.event, item.completion]) {
      if (event !== undefined && !itemOf.has(event)) itemOf.set(event, item);
    }
  };
  for (const [invoked, completed] of data.operations) add("operations", operationItem(data, invoked, completed));
  for (const hold of data.holds) add("holds", holdItem(hold));
  for (const fault of data.faults) {
    const { from, to, outcome, started: event, healed: completion, kind: label } = fault;
    if (outcome === "skipped") continue;
    for (const lane of fault.lanes) {
      const strip = freeStrip(lanes[lane]?.faults ?? [], from);
      add("faults", { kind: "fault", lane, from, to, event, completion, outcome, label, strip });
    }
  }
  for (const lane of lanes) lane.strips = Math.max(0, ...lane.faults.map(({ strip = 0 }) => strip + 1));
  data.events.forEach((event, index) => {
    const lane = data.laneOf[index] ?? -1;
    if (event.type === "audit")
      add("marks", markItem("write", event, lane, event.value.accepted ? "ok" : "fail", event.value.data));
    if (event.type === "lost") add("marks", markItem("lost", event, lane, "info", "lease lost"));
  });
  const withSeries = lanes.map((lane) => ({
    ...lane,
    operationSeries: operationSeriesOf(lane.operations),
    markSeries: seriesOf(lane.marks, ({ kind, outcome }) => `${kind} ${outcome}`),
  }));
  return { data, lanes: withSeries, itemOf };
}

/** What nobody answered reaches to the end of the run, and must not cover what came after it. */
function operationSeriesOf(operations: readonly Item[]): readonly (readonly Item[])[] {
  const isOpen = ({ completion }: Item): boolean => completion === undefined;
  const answered = operations.filter((operation) => !isOpen(operation));
  return [
    operations.filter(isOpen),
    ...seriesOf(answered, ({ outcome, label }) => `${outcome} ${label === "acquire"}`),
  ];
}

/** Items grouped by a key, the largest group first. */
function seriesOf(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const series = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = series.get(key);
    if (known === undefined) series.set(key, [item]);
    else known.push(item);
  }
  return [...series.values()].sort((one, other) => other.length - one.length);
}

/** The first strip without a fault in force at `time`. */
function freeStrip(faults: readonly Item[], time: number): number {
  for (let strip = 0; ; strip += 1) {
    if (!faults.some((fault) => fault.strip === strip && fault.to >= time)) return strip;
  }
}

function operationItem(data: RunData, invoked: number, completed: number): Item {
  const invocation = data.events[invoked];
  const completion = data.events[completed];
  const value = invocation?.type === "invoke" && invocation.f === "write" ? ` ${invocation.value.data}` : "";
  return {
    kind: "operation",
    lane: data.laneOf[invoked] ?? -1,
    from: invocation?.time ?? 0,
    to: completion?.time ?? data.end,
    event: invoked,
    completion: completed < 0 ? undefined : completed,
    outcome: completion?.type ?? "info",
    label: `${invocation?.f ?? ""}${value}`,
    f: invocation?.f ?? "",
    key: invocation !== undefined && "key" in invocation ? invocation.key : "",
  };
}

function holdItem(hold: HoldData): Item {
  const { lane, from, to, granted: event, ended: completion } = hold;
  return { kind: "hold", lane, from, to, event, completion, outcome: hold.endedBy, label: hold.key, hold };
}

function markItem(kind: "write" | "lost", event: HistoryEvent, lane: number, outcome: string, label: string): Item {
  return { kind, lane, from: event.time, to: event.time, event: event.index, outcome, label };
}

/** Index of the first of ascending, non-overlapping items that ends at or after `time`. */
export function firstEndingAfter(items: readonly Item[], time: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.to ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How far a lane's wall clock is ahead of true time at a moment, in nanoseconds; 0 where this is unknown. */
export function clockOffset({ data }: RunModel, lane: number, time: number): number {
  return data.clockSteps
    .filter((step) => step.lane === lane && step.time <= time)
    .reduce((sum, { offset }) => sum + offset, 0);
}

/** One event in words, for the table, the search and a screen reader. */
export function describeEvent(event: HistoryEvent, lane: string): string {
  if (event.type === "fault") {
    const { phase, outcome, targets } = event.value;
    return `${event.f} ${phase === "heal" ? "healed" : outcome} on ${targets.join(", ")}`;
  }
  if (event.type === "audit") {
    const { accepted, data, position } = event.value;
    return `resource ${accepted ? `takes ${data} as number ${position}` : `refuses ${data}`}`;
  }
  if (event.type === "notice") return `${event.value.targets.join(", ")} froze without a fault of the plan`;
  if (event.type === "lost") return `${lane} is notified that its lease of ${event.key} is lost`;
  if (event.type === "renewed") return `${lane}'s lease of ${event.key} was renewed by the lock`;
  if (event.type === "queued") return `${lane} stands in the queue for ${event.key}`;
  const word = { invoke: "invokes", ok: "ok:", fail: "refused:", info: "unanswered:" }[event.type];
  return `${lane} ${word} ${event.f} ${event.key}`;
}

/** The values of an event in one line, without braces. */
export function valuesOf(event: HistoryEvent): string {
  return Object.entries(event.value ?? {})
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
