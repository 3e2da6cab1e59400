/** What the part of the address after `#` names: a run of the page, and something of it. */
export interface PageAddress {
  /** Counted from 0. */
  readonly run: number;
  readonly part?: AddressPart | undefined;
}

export type AddressPart =
  | { readonly kind: "event"; readonly event: number }
  | { readonly kind: "violation"; readonly violation: number }
  | { readonly kind: "moment"; readonly story: number; readonly moment: number };

/** Reads `#run-0`, `#run-0/event-17`, `#run-0/violation-1` and `#run-0/moment-1-3`; anything else is the first run. */
export function readAddress(hash: string): PageAddress {
  const [, run, kind, first, second] = /^#run-(\d+)(?:\/(event|violation|moment)-(\d+)(?:-(\d+))?)?$/.exec(hash) ?? [];
  if (run === undefined) return { run: 0 };
  return { run: Number(run), part: partOf(kind, Number(first), second) };
}

function partOf(kind: string | undefined, first: number, second: string | undefined): AddressPart | undefined {
  if (kind === "event") return { kind, event: first };
  if (kind === "violation") return { kind, violation: first };
  return kind === "moment" && second !== undefined ? { kind, story: first, moment: Number(second) } : undefined;
}

/** The address that `readAddress` reads. */
export function addressText({ run, part }: PageAddress): string {
  if (part === undefined) return `#run-${run}`;
  if (part.kind === "event") return `#run-${run}/event-${part.event}`;
  if (part.kind === "violation") return `#run-${run}/violation-${part.violation}`;
  return `#run-${run}/moment-${part.story}-${part.moment}`;
}

/** Changes the address without a step in the browser's history, so that it can be copied at any time. */
export function writeAddress(address: PageAddress): void {
  history.replaceState(null, "", addressText(address));
}
