import type { Property, PropertyVerdict } from "../../core/verdict.ts";
import { NANOSECONDS_PER_MS, type HistoryHeader } from "../../history/history.ts";
import { OldestFirst } from "../../history/oldest-first.ts";
import { unknown } from "../findings.ts";
import type { HistoryStep } from "../evidence/history-step.ts";
import { isExpiredGrant, onlyCertain } from "./only-certain.ts";

/** For so many processes and keys it is remembered until when a lease lasts. */
const REMEMBERED = 10_000;

/** The properties that ask who holds a key at a time. */
const BY_HOLDS: readonly Property[] = ["mutual-exclusion", "lease-exclusion", "linearizability"];

const NOT_RECORDED =
  "no release is recorded, although clients took turns within their leases: record when each asked to release the key, and what it was answered; if they never do, write `inner` in each acquire of a key that the client still holds";

/**
 * Whether the program that recorded a history left releases out. Clients then seem to hold a key until their leases end, and
 * a lock seems to grant what is taken. It shows where no release was recorded at all, and a client was granted a key again
 * that its own lease would still have taken, after another one had been granted it. A leader that only acquires its own key
 * again and again prolongs its lease.
 */
export class UnrecordedReleases {
  readonly #isKnown: boolean;
  /** By process and key: until when the lease of its last grant lasts, in nanoseconds. */
  readonly #leases = new OldestFirst<string, number>(REMEMBERED);
  /** By key: the process that was granted it last. */
  readonly #latest = new OldestFirst<string, number>(REMEMBERED);
  #tookTurns = false;
  #hasReleases = false;

  constructor(header: HistoryHeader) {
    this.#isKnown = typeof header["backend"] === "string";
  }

  push({ event, invocation }: HistoryStep): void {
    if (this.#isKnown || this.#hasReleases || typeof event.process !== "number") return;
    this.#hasReleases = event.f === "release";
    if (event.type !== "ok" || event.f !== "acquire" || invocation?.f !== "acquire") return;
    const name = JSON.stringify([event.process, event.key]);
    const { inner = false, ttlMs } = invocation.value;
    const isBack = (this.#latest.get(event.key) ?? event.process) !== event.process;
    if (isBack && !inner && invocation.time < (this.#leases.get(name) ?? 0)) this.#tookTurns = true;
    this.#leases.set(name, invocation.time + ttlMs * NANOSECONDS_PER_MS);
    this.#latest.set(event.key, event.process);
  }

  /**
   * The verdict on a property, without accusations by holds that may have been over. Of a hold whose end nobody recorded only its
   * grant is certain, so that two of them never overlap: this is no proof that they did not.
   */
  withoutDoubtful(property: Property, verdict: PropertyVerdict): PropertyVerdict {
    if (this.#hasReleases || !this.#tookTurns || !BY_HOLDS.includes(property)) return verdict;
    if (property === "mutual-exclusion" && verdict.verdict === "valid") return unknown(NOT_RECORDED);
    return onlyCertain(verdict, isExpiredGrant, NOT_RECORDED);
  }
}
