import { toEDNString, toKeyword, type EDNVal } from "edn-data";
import type { HistoryEvent } from "../history.ts";

/**
 * One event as a line of Jepsen's `history.edn`, without its line feed; undefined for an event that Jepsen does not
 * have.
 */
export function toEdn(event: HistoryEvent): string | undefined {
  const { index, time } = event;
  if (event.type === "lost" || event.type === "renewed" || event.type === "queued") return undefined;
  if (event.type === "audit" || event.type === "notice") return undefined;
  if (event.type === "fault") {
    const f = `${event.value.phase === "start" ? "start" : "stop"}-${event.f}`;
    return edn({ index, time, process: toKeyword("nemesis"), type: toKeyword("info"), f: toName(f) }, event.value);
  }
  // A release that found nothing to release did not take effect.
  const missed = event.type === "ok" && event.f === "release" && !event.value.released;
  const type = toKeyword(missed ? "fail" : event.type);
  const error = missed ? { error: toKeyword("not-held") } : {};
  return edn(
    { index, time, process: event.process, type, f: toKeyword(event.f), key: event.key, ...error },
    event.value,
  );
}

function edn(fields: Readonly<Record<string, EDNVal>>, value: object | undefined): string {
  return toEDNString(toMap({ ...fields, value: value === undefined ? null : toValue(value) }));
}

function toMap(fields: Readonly<Record<string, EDNVal>>): EDNVal {
  return { map: Object.entries(fields).map(([name, value]) => [toName(name), value]) };
}

/** A keyword, where the name can be one. */
function toName(name: string): EDNVal {
  return /^[A-Za-z][\w.*+!?$%&=<>/-]*$/.test(name) ? toKeyword(name) : name;
}

function toValue(value: unknown): EDNVal {
  if (Array.isArray(value)) return value.map(toValue);
  if (isForm(value))
    return toMap(Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toValue(part)])));
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

function isForm(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
