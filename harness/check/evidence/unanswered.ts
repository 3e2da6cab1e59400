import { clientOf } from "../../history/clients.ts";
import { type HistoryHeader, INVALID_ANSWER, NANOSECONDS_PER_MS } from "../../history/history.ts";
import type { InvocationEvent } from "../../history/operations.ts";
import { clientInWords, timeWords } from "../words.ts";
import type { HistoryStep } from "./history-step.ts";

/** Operations that were not answered for at least this share of a run explain why its time was too short. */
const MUCH_OF_THE_RUN = 0.5;

/** What one client had no answer to. Times are in nanoseconds. */
interface Unanswered {
  readonly total: number;
  readonly longest: number;
  readonly invocation: InvocationEvent;
}

/** Acquires of one client, one after the other, that all ended as `info`. Times are in nanoseconds. */
interface InVain {
  readonly key: string;
  readonly process: number;
  readonly from: number;
  readonly to: number;
  /** What the driver said of the last one. */
  readonly reason: unknown;
}

/** Of what a driver says, no more characters than this. */
const MOST_WORDS = 200;

/**
 * For how long each client had no answer: to an operation that ended as `info`, or that is open at the end. The time for which an
 * acquire may wait for another holder is not counted, unless the outcome of all its acquires was unknown. Only of
 * histories that say how many clients there are.
 */
export class UnansweredOperations {
  readonly #header: HistoryHeader;
  readonly #open = new Map<number, InvocationEvent>();
  readonly #byClient = new Map<number, Unanswered>();
  /** By client, the acquires since the last one of known outcome. */
  readonly #inVain = new Map<number, InVain>();

  constructor(header: HistoryHeader) {
    this.#header = header;
  }

  push({ event, invocation }: HistoryStep): void {
    if (this.#header.clients === undefined) return;
    if (event.type === "invoke") this.#open.set(event.process, event);
    else if (invocation !== undefined) {
      this.#open.delete(invocation.process);
      if (event.type === "info") this.#count(this.#byClient, invocation, event.time);
      if (invocation.f === "acquire") this.#try(invocation, event);
    }
  }

  #try({ key, process, time }: InvocationEvent, event: HistoryStep["event"]): void {
    const client = clientOf(process, this.#header.clients);
    if (event.type !== "info") {
      this.#inVain.delete(client);
      return;
    }
    const before = this.#inVain.get(client);
    const from = before?.key === key ? before.from : time;
    this.#inVain.set(client, { key, process, from, to: event.time, reason: wordsOf(event.value) });
  }

  /** Which operation kept the run from its end at `at`, in words; undefined if none did. */
  explanation(at: number): string | undefined {
    const byClient = new Map(this.#byClient);
    for (const invocation of this.#open.values()) this.#count(byClient, invocation, at);
    const [most] = [...byClient.values()].sort((a, b) => b.total - a.total);
    if (most === undefined || most.total < at * MUCH_OF_THE_RUN) return this.#vainly(at);
    const { f, key, process } = most.invocation;
    const operation = `${f} of ${key} by ${clientInWords(this.#header, process)}`;
    const others =
      most.total > most.longest ? `, and operations of this client for ${timeWords(most.total)} in all` : "";
    return `${operation} was not answered for ${timeWords(most.longest)}${others}`;
  }

  /** Which client was never told whether it has the lock, in words; undefined if none was for much of the run. */
  #vainly(at: number): string | undefined {
    const [most] = [...this.#inVain.values()].sort((a, b) => b.to - b.from - (a.to - a.from));
    if (most === undefined || most.to - most.from < at * MUCH_OF_THE_RUN) return undefined;
    const { key, process, from, to, reason } = most;
    const said = typeof reason === "string" ? `, the last one with: ${reason.slice(0, MOST_WORDS)}` : "";
    return `all acquires of ${key} by ${clientInWords(this.#header, process)} within ${timeWords(to - from)} ended as info${said}`;
  }

  #count(byClient: Map<number, Unanswered>, invocation: InvocationEvent, until: number): void {
    const allowed = invocation.f === "acquire" ? (invocation.value.waitMs ?? 0) * NANOSECONDS_PER_MS : 0;
    const lasted = Math.max(0, until - invocation.time - allowed);
    const client = clientOf(invocation.process, this.#header.clients);
    const before = byClient.get(client);
    const isLongest = before === undefined || lasted > before.longest;
    byClient.set(client, {
      total: (before?.total ?? 0) + lasted,
      longest: isLongest ? lasted : before.longest,
      invocation: isLongest ? invocation : before.invocation,
    });
  }
}

/** What a driver said of an operation of unknown outcome, or what is wrong with what it said. */
function wordsOf(value: { readonly reason?: unknown; readonly detail?: unknown } | undefined): unknown {
  return value?.reason === INVALID_ANSWER ? value.detail : value?.reason;
}
