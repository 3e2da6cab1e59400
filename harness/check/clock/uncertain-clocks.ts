import { inFigures } from "../../core/words/in-figures.ts";
import { clientOf } from "../../history/clients.ts";
import { type HistoryEvent, type HistoryHeader, NANOSECONDS_PER_MS } from "../../history/history.ts";
import { askedTtlMs, BY_THE_CLOCK, longestTtlMs } from "../../history/holds/lease.ts";
import type { InvocationEvent } from "../../history/operations.ts";
import { ANSWERED_WITHIN, BESIDE_OTHERS, RECORDED_PROCESS } from "../../history/unordered.ts";
import { RecordedPlaces } from "./recorded-places.ts";
import { GrantsKeptBack } from "./grants-kept-back.ts";
import { ValuesKeptBack } from "./values-kept-back.ts";

/** So many events are kept back at most: about 50 MB. */
const MOST_KEPT_BACK = 100_000;
/** The process numbers that are drawn here lie beyond those of any recording. */
const BEYOND = 2 ** 30;

type Completion = Extract<HistoryEvent, { type: "ok" | "fail" | "info" }>;
type Renewal = Extract<HistoryEvent, { type: "renewed" }>;

/**
 * Stands between the checkers and a recording whose times several clocks told, which differ by `clockUncertaintyMs` at most. On the
 * clock that is ahead of all others each event happened at its recorded time or up to that much later. So each invocation stays where
 * it is, and each completion comes that much later: one operation precedes another only if it does by all clocks. A lease
 * still counts from where its own clock says, which is the earliest.
 *
 * A client that goes on before its completion has come does two things at a time: the second has a process number of its own.
 */
export class UncertainClocks {
  readonly places = new RecordedPlaces();
  readonly #declared: number;
  readonly #clients: number;
  readonly #tick: () => number;
  readonly #values: ValuesKeptBack;
  readonly #grants = new GrantsKeptBack();
  /** In the order in which they come. */
  #keptBack: HistoryEvent[] = [];
  /** When the last of them comes, and the last audit, which may come after. */
  #keptUntil = 0;
  #auditsUntil = 0;
  /** Process numbers whose completion is kept back. */
  readonly #busy = new Set<number>();
  /** By recorded process number, the one that stands for it in the operation under way. */
  readonly #standIns = new Map<number, number>();
  #drawn = 0;
  #index = 0;
  #excess: string | undefined;

  /** @param tick how long a tick of the recording's clocks is, in nanoseconds, as far as it is known */
  constructor(
    { clockUncertaintyMs = 0, clients = 1 }: Pick<HistoryHeader, "clockUncertaintyMs" | "clients">,
    tick: () => number,
  ) {
    this.#declared = clockUncertaintyMs * NANOSECONDS_PER_MS;
    this.#clients = clients;
    this.#tick = tick;
    this.#values = new ValuesKeptBack(clients);
  }

  /** Why the rest of the history is not judged, if so. */
  get excess(): string | undefined {
    return this.#excess;
  }

  get remarks(): readonly string[] {
    const ms = inFigures(this.#uncertainty / NANOSECONDS_PER_MS);
    return [
      `the clocks of this history may differ by ${ms} ms: each answer counts as ${ms} ms later than it is recorded`,
    ];
  }

  /** Takes the next event. Returns what can be judged now. */
  push(event: HistoryEvent): readonly HistoryEvent[] {
    if (this.#excess !== undefined) return [];
    const due = this.#due(event.time);
    const known = this.#grants.recorded(this.#values.recorded(event));
    const events = [...due, ...this.#take(known)];
    if (this.#keptBack.length > MOST_KEPT_BACK) {
      this.#excess = `more than ${inFigures(MOST_KEPT_BACK)} answers lie within the uncertainty of the clocks, from event ${this.#keptBack[0]?.index ?? 0} on`;
      this.#keptBack = [];
    }
    return events.map((one) => this.#stamped(one));
  }

  /**
   * To be called after the last event. Returns the rest. Of a recording that lost its end, what came before these answers may be lost
   * by another clock: nobody knows when they came.
   */
  finish(isTorn = false): readonly HistoryEvent[] {
    const rest = this.#due(Infinity).filter((event) => !isTorn || !isCompletion(event));
    return rest.map((event) => this.#stamped(event));
  }

  /** What is the same by rounded times if it is a whole number of ticks. */
  get #uncertainty(): number {
    const tick = this.#tick();
    return Math.ceil(this.#declared / tick) * tick;
  }

  #take(event: HistoryEvent): readonly HistoryEvent[] {
    switch (event.type) {
      case "invoke":
        return [this.#invoked(event)];
      case "ok":
      case "fail":
      case "info":
        this.#keepBack(this.#completed(event));
        return [];
      case "renewed":
        this.#keepBack(this.#counted(event));
        return [shortening(event)];
      case "audit":
        this.#keepBackAudit(event);
        return [];
      case "fault":
        return this.#fault(event);
      default:
        return [event];
    }
  }

  #invoked(event: InvocationEvent): HistoryEvent {
    const isEarly = this.#busy.has(event.process);
    const process = isEarly ? this.#drawProcess(event.process) : event.process;
    this.#standIns.set(event.process, process);
    // It may mean what its client was granted by an acquire whose completion is kept back.
    const invocation = {
      ...event,
      process,
      ...(isEarly ? { [BESIDE_OTHERS]: true, [RECORDED_PROCESS]: event.process } : undefined),
    } as typeof event;
    if (invocation.f !== "acquire" && invocation.f !== "extend") return invocation;
    const longestMs = longestTtlMs(invocation) + this.#uncertainty / NANOSECONDS_PER_MS;
    const byTheClock = { [BY_THE_CLOCK]: { askedMs: askedTtlMs(invocation), longestMs } };
    return { ...invocation, value: { ...invocation.value, ...byTheClock } } as typeof event;
  }

  #drawProcess(process: number): number {
    this.#drawn += 1;
    const drawn = clientOf(process, this.#clients) + this.#clients * (BEYOND + this.#drawn);
    this.places.drawn(drawn, process);
    return drawn;
  }

  #completed(event: Completion): HistoryEvent {
    const process = this.#standIns.get(event.process) ?? event.process;
    this.#standIns.delete(event.process);
    this.#busy.add(process);
    this.#grants.keepBack(event, process);
    const isGrant = event.type === "ok" && (event.f === "acquire" || event.f === "extend");
    const marks = { [BESIDE_OTHERS]: true, [ANSWERED_WITHIN]: this.#uncertainty };
    return Object.assign({ ...(isGrant ? this.#counted(event) : event), process }, marks);
  }

  /** A validity counts from where its own clock says. */
  #counted<E extends Extract<Completion, { type: "ok"; f: "acquire" | "extend" }> | Renewal>(event: E): E {
    const { grantedAt = event.time } = event.value;
    return { ...event, value: { ...event.value, grantedAt } };
  }

  /** Faults keep their order; they last as long as they may have lasted. */
  #fault(event: Extract<HistoryEvent, { type: "fault" }>): readonly HistoryEvent[] {
    const earlier = this.#keptBack
      .filter(({ type }) => type === "fault")
      .map((kept) => ({ ...kept, time: event.time }));
    if (earlier.length > 0) this.#keptBack = this.#keptBack.filter(({ type }) => type !== "fault");
    if (event.value.phase === "start") return [...earlier, event];
    this.#keepBack(event);
    return earlier;
  }

  #keepBack(event: HistoryEvent): void {
    // The more is known of the ticks, the shorter they may be.
    const time = Math.max(event.time + this.#uncertainty, this.#keptUntil);
    this.#keptUntil = time;
    this.#insert({ ...event, time }, (kept) => (kept.time <= time && kept.type !== "audit") || kept.time < time);
  }

  /**
   * By the clock of the resource, the extension that drew the owner value which it lists may have been answered that much later. That answer
   * comes first: it tells whose the value is.
   */
  #keepBackAudit(event: HistoryEvent): void {
    const time = Math.max(event.time + 2 * this.#uncertainty, this.#auditsUntil);
    this.#auditsUntil = time;
    this.#insert({ ...event, time }, (kept) => kept.time <= time);
  }

  #insert(event: HistoryEvent, isBefore: (kept: HistoryEvent) => boolean): void {
    this.#keptBack.splice(this.#keptBack.findLastIndex(isBefore) + 1, 0, event);
  }

  /** What comes before this time, in nanoseconds. */
  #due(time: number): readonly HistoryEvent[] {
    const first = this.#keptBack.findIndex((kept) => kept.time >= time);
    const due = this.#keptBack.splice(0, first < 0 ? this.#keptBack.length : first);
    for (const event of due) {
      if (!isCompletion(event)) continue;
      this.#busy.delete(event.process);
      this.#values.came(event);
      this.#grants.came(event);
    }
    return due;
  }

  #stamped(event: HistoryEvent): HistoryEvent {
    const index = this.#index;
    this.#index += 1;
    this.places.moved(index, event.index);
    return index === event.index ? event : { ...event, index };
  }
}

function isCompletion(event: HistoryEvent): event is Completion {
  return event.type === "ok" || event.type === "fail" || event.type === "info";
}

/** The same renewal, which may have come before what its client was told last: it only makes the lease shorter. */
function shortening(event: Renewal): Renewal {
  const { validForMs, grantedAt = event.time } = event.value;
  return { ...event, value: { ...event.value, grantedAt: 0, validForMs: validForMs + grantedAt / NANOSECONDS_PER_MS } };
}
