import { printable } from "../../harness/core/printable.ts";
import { RESOURCE } from "../../harness/core/topology.ts";
import { actorOf } from "../../harness/history/clients.ts";
import type { History, HistoryEvent } from "../../harness/history/history.ts";
import { formatMs } from "../wording.ts";

/**
 * The first event in which a run and its control differ, in words; undefined where only faults do. In simulation both are
 * the same, to the nanosecond, until what was changed has an effect.
 */
export function differenceWords(run: History, control: History): string | undefined {
  const [here, there] = [run, control].map(({ events }) => events.filter(isOfTheSystem)) as [
    HistoryEvent[],
    HistoryEvent[],
  ];
  const place = here.findIndex((event, index) => essence(event) !== essence(there[index]));
  const at = place < 0 ? here.length : place;
  const [mine, theirs] = [here[at], there[at]];
  if (mine === undefined && theirs === undefined) return undefined;
  const first =
    mine === undefined ? "this run has ended" : `in this run ${eventWords(mine, run)} (event ${mine.index})`;
  return `${first}; ${theirs === undefined ? "the control has ended" : `in the control ${eventWords(theirs, control)}`}`;
}

/** Whether the system did it, not the harness. */
function isOfTheSystem({ type }: HistoryEvent): boolean {
  return type !== "fault" && type !== "notice";
}

function essence(event: HistoryEvent | undefined): string | undefined {
  if (event === undefined) return undefined;
  const { index: _, ...rest } = event;
  return JSON.stringify(rest);
}

function eventWords(event: HistoryEvent, { header }: History): string {
  const when = `at ${formatMs(event.time)}`;
  if (event.type === "audit") return `the ${RESOURCE} ${event.value.accepted ? "accepts" : "refuses"} a write ${when}`;
  const who = typeof event.process === "number" ? actorOf(event.process, header) : event.process;
  const key = "key" in event ? printable(event.key) : "";
  if (event.f === "acquire") {
    const verb = { invoke: "asks for", ok: "is granted", fail: "is refused", info: "has no answer for" }[
      event.type as "ok"
    ];
    return `${who} ${verb} ${key} ${when}`;
  }
  const verb = { invoke: "begins", ok: "completes", fail: "is refused", info: "has no answer for" }[event.type as "ok"];
  return verb === undefined
    ? `${who} has ${event.type} ${event.f} ${when}`
    : `${who} ${verb} its ${event.f} of ${key} ${when}`;
}
