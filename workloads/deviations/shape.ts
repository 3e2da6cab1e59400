import { BETWEEN_TRIES_MS, type PlanInput } from "../../harness/core/plan.ts";

export type SectionInput = PlanInput["clients"][number]["sections"][number];
export type StepInput = SectionInput["steps"][number];

/** How long after the longest lease a lock that nobody holds must be free. */
export const SETTLING_MS = 2500;

/** When the second client comes, if the first is to be granted the lock before. */
export const SOON_MS = 20;

/** How much longer than usual a lease is that must outlast a second in which nothing happens. */
export const OUTLASTING = 5;

/** How long everything takes in a workload. */
export interface Scale {
  readonly leaseMs: number;
  readonly tries: number;
}

/** The event of a client, by its index, at which it dies. */
export interface Death {
  readonly client: number;
  readonly on: "acquire:ok" | "extend:ok";
  readonly count: number;
}

/** Who asks for what in a workload, and when. */
export interface Shape {
  readonly name: string;
  readonly outlives?: boolean;
  /** Clients come at the same time, and chance decides who is first. */
  readonly races?: boolean;
  /** So long that it runs without faults only: a deviation of a shorter one shows the same. */
  readonly isCalm?: boolean;
  /** A client that dies, and when. */
  readonly dies?: Death;
  readonly clients: readonly (readonly SectionInput[])[];
}

/** A critical section on the workload's key. */
export function section({ leaseMs, tries }: Scale, steps: readonly StepInput[]): SectionInput {
  return { key: "k1", ttlMs: leaseMs, waitMs: leaseMs + SETTLING_MS, tries, steps: [...steps] };
}

/** The same, asked for as long, but each request is short: the lease of the one that is granted begins at a known moment. */
export function askingAgain(section: SectionInput, { leaseMs }: Scale): SectionInput {
  return { ...section, waitMs: 0, tries: Math.ceil((leaseMs + SETTLING_MS) / BETWEEN_TRIES_MS) };
}

/** For how many leases a client waits that waits for long: for that of a holder, and for one that a fault has moved. */
const LONG_WAIT = 4;

/**
 * The same, asked for once: the one request waits until a lock that is left behind, at its beginning or by a fault soon after,
 * must have been free for so long that a refusal at its end is proof.
 */
export function waitingLong(section: SectionInput, { leaseMs }: Scale): SectionInput {
  return { ...section, waitMs: LONG_WAIT * leaseMs + SETTLING_MS, tries: 1 };
}

/** Whether one request of the section waits for so long. */
export function waitsLong({ waitMs, ttlMs }: SectionInput): boolean {
  return waitMs >= LONG_WAIT * ttlMs;
}

/** Whether the section is asked for in short requests that go on for longer than a lease. */
export function asksAgain({ waitMs, tries = 1, ttlMs }: SectionInput): boolean {
  return waitMs === 0 && tries * BETWEEN_TRIES_MS > ttlMs;
}

/** Whether the section is asked for until what somebody left behind, whose lease is as long, must be free. */
export function asksForLong(section: SectionInput): boolean {
  return section.waitMs > section.ttlMs || asksAgain(section);
}
