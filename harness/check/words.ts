import { shortOwner } from "../history/owner-value.ts";
import { clientName } from "../core/topology.ts";
import { clientOf } from "../history/clients.ts";
import type { FaultEvent } from "../history/history.ts";
import { NANOSECONDS_PER_MS, type HistoryHeader } from "../history/history.ts";
import type { Hold } from "../history/holds.ts";

/** A time of the history, in words: `12.3 ms`. */
export function ms(nanoseconds: number): string {
  const value = nanoseconds / NANOSECONDS_PER_MS;
  return `${Number(value.toFixed(Math.abs(value) < 10 ? 3 : 1))} ms`;
}

/** The client behind a process: `client-1`, or `process 7` where the history does not say how many clients there are. */
export function clientInWords(header: HistoryHeader, process: number): string {
  return header.clients === undefined ? `process ${process}` : clientName(clientOf(process, header.clients));
}

/** `client-1 (process 6, owner 9f2c01ab…, fencing token 7)` */
export function holderOf(header: HistoryHeader, hold: Pick<Hold, "process" | "owner" | "fence">): string {
  const client = clientInWords(header, hold.process);
  const facts = [
    ...(client.startsWith("process") ? [] : [`process ${hold.process}`]),
    `owner ${shortOwner(hold.owner)}`,
    ...(hold.fence === undefined ? [] : [`fencing token ${hold.fence}`]),
  ];
  return `${client} (${facts.join(", ")})`;
}

/** `a pause-client of client-0 at 100 ms (event 6)` */
export function faultInWords({ f, value, time, index }: FaultEvent): string {
  const of = value.targets.length === 0 ? "" : ` of ${value.targets.join(", ")}`;
  const phase = value.phase === "heal" ? ", healing," : "";
  return `${f}${of}${phase} at ${ms(time)} (event ${index})`;
}

/** Why a fault makes the run prove less: it never came, or nothing was seen of its effect. Undefined if it took effect. */
export function doubtInWords(event: FaultEvent): string | undefined {
  const { outcome, evidence } = event.value;
  if (outcome === "installed") return undefined;
  const what = outcome === "skipped" ? "was skipped" : "was not seen to take effect";
  return `${faultInWords(event)} ${what}${evidence === undefined || evidence === "" ? "" : `: ${evidence}`}`;
}
