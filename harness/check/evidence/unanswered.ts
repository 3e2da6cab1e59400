import { clientOf } from "../../history/clients.ts";
import { type HistoryHeader, NANOSECONDS_PER_MS } from "../../history/history.ts";
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

/**
 * For how long each client had no answer: to an operation that ended as `info`, or that is open at the end. The time for which an
 * acquire may wait for another holder is not counted. Only of histories that say how many clients there are.
 */
export class UnansweredOperations {
  readonly #header: HistoryHeader;
  readonly #open = new Map<number, InvocationEvent>();
  readonly #byClient = new Map<number, Unanswered>();

  constructor(header: HistoryHeader) {
    this.#header = header;
  }

  push({ event, invocation }: HistoryStep): void {
    if (this.#header.clients === undefined) return;
    if (event.type === "invoke") this.#open.set(event.process, event);
    else if (invocation !== undefined) {
      this.#open.delete(invocation.process);
      if (event.type === "info") this.#count(this.#byClient, invocation, event.time);
    }
  }

  /** Which operation kept the run from its end at `at`, in words; undefined if none did. */
  explanation(at: number): string | undefined {
    const byClient = new Map(this.#byClient);
    for (const invocation of this.#open.values()) this.#count(byClient, invocation, at);
    const [most] = [...byClient.values()].sort((a, b) => b.total - a.total);
    if (most === undefined || most.total < at * MUCH_OF_THE_RUN) return undefined;
    const { f, key, process } = most.invocation;
    const operation = `${f} of ${key} by ${clientInWords(this.#header, process)}`;
    const others =
      most.total > most.longest ? `, and operations of this client for ${timeWords(most.total)} in all` : "";
    return `${operation} was not answered for ${timeWords(most.longest)}${others}`;
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
