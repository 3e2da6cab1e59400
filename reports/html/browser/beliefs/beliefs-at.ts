import { isEndless } from "../../../../harness/history/holds/endless-lease.ts";
import { formatMs } from "../../../ms-words.ts";
import type { BandData, HoldData, RunData } from "../../page-data.ts";
import type { Item, LaneItems, RunModel } from "../run-model.ts";
import { SpansAt } from "./spans-at.ts";

/** What a client or a server goes by at an instant, right or wrong. */
export interface BeliefAt {
  readonly name: string;
  readonly says: string;
  /** Whether a client believes that it holds a lock. */
  readonly holds: boolean;
}

interface Believer {
  readonly name: string;
  /** Absent for a server that has no lane. */
  readonly lane: LaneItems | undefined;
  readonly holds: SpansAt<HoldData>;
  readonly operations: SpansAt<Item>;
  readonly bands: SpansAt<BandData>;
}

/**
 * What each client and each server believes at any instant. The same words as the moments of a story have, which
 * `reports/run/beliefs.ts` finds from the history; here they are found for a pointer that moves over 150,000 events.
 */
export class Beliefs {
  readonly #data: RunData;
  readonly #believers: readonly Believer[];
  /** The events at which a server became master: no fault of the plan. */
  readonly #promotions: ReadonlySet<number>;

  constructor({ data, lanes }: RunModel) {
    this.#data = data;
    this.#promotions = new Set(data.faults.flatMap(({ promotes, started }) => (promotes ? [started] : [])));
    const named = lanes.filter(({ kind }) => kind !== "resource");
    const unnamed = [...new Set(data.bands.map(({ server }) => server))].filter(
      (server) => !named.some(({ name }) => name === server),
    );
    this.#believers = [
      ...named.map((lane) => believer(lane.name, lane, data)),
      ...unnamed.sort().map((server) => believer(server, undefined, data)),
    ];
  }

  /** @param hidden lanes that are left out */
  at(time: number, hidden: ReadonlySet<number> = new Set()): readonly BeliefAt[] {
    return this.#believers
      .filter(({ lane }) => lane === undefined || !hidden.has(lane.index))
      .map((one) => this.#belief(one, time));
  }

  #belief(one: Believer, time: number): BeliefAt {
    const isClient = one.lane?.kind === "client";
    const held = isClient ? one.holds.at(time).map((hold) => heldWords(hold, time)) : [];
    const asked = isClient && held.length === 0 ? askedWords(one.operations.at(time)[0]) : [];
    const own = isClient ? [...held, ...asked] : this.#role(one, time);
    const hit = this.#faultsOn(one, time);
    const known = own.length === 0 && hit.length === 0 ? [isClient ? "does nothing" : "no fault"] : own;
    const says = [...known, ...(hit.length === 0 ? [] : [hit.join(", ")])].join("; ");
    return { name: one.name, says, holds: held.length > 0 };
  }

  #role({ name, lane, bands }: Believer, time: number): readonly string[] {
    const promoted = this.#data.faults.findLast(
      (fault) => fault.promotes && fault.from <= time && lane !== undefined && fault.lanes.includes(lane.index),
    );
    const given = bands.at(time);
    const isServer = name.startsWith("node-");
    return [
      ...(promoted === undefined ? [] : [`master since ${formatMs(promoted.from)}`]),
      ...given.map((band) => givenWords(band, time)),
      ...(given.length === 0 && this.#data.bands.length > 0 && isServer ? ["thinks nobody holds"] : []),
    ];
  }

  #faultsOn({ lane }: Believer, time: number): readonly string[] {
    const inForce = (lane?.faults ?? []).filter(({ from, to }) => from <= time && time < to);
    return [...new Set(inForce.filter(({ event }) => !this.#promotions.has(event)).map(({ label }) => label))];
  }
}

function believer(name: string, lane: LaneItems | undefined, data: RunData): Believer {
  return {
    name,
    lane,
    holds: new SpansAt(lane?.holds.flatMap(({ hold }) => hold ?? []) ?? []),
    operations: new SpansAt(lane?.operations ?? []),
    bands: new SpansAt(data.bands.filter(({ server }) => server === name).sort((one, other) => one.from - other.from)),
  };
}

function heldWords({ key, lease, prolonged, grantedUntil }: HoldData, time: number): string {
  const until = prolonged.findLast(([from]) => from <= time)?.[1] ?? grantedUntil;
  const covered = lease.some(({ from, to }) => from <= time && time < to);
  return covered && until > time
    ? `holds ${key}${isEndless(until - time) ? "" : `, lease for another ${formatMs(until - time)}`}`
    : `holds ${key}, though its lease ended ${formatMs(Math.max(0, time - until))} ago`;
}

function askedWords(open: Item | undefined): readonly string[] {
  if (open === undefined) return [];
  return [open.f === "acquire" ? `asks for ${open.key}` : `waits for its ${open.f} of ${open.key}`];
}

function givenWords({ holder, key, expires }: BandData, time: number): string {
  const left = expires === undefined ? "without end" : `for another ${formatMs(expires - time)}`;
  return `thinks ${holder} holds ${key} ${left}`;
}
