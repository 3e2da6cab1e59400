import type { Random } from "../../core/random.ts";
import type { History, HistoryEvent } from "../../history/history.ts";

/** As another program records it whose clock has ticks of this length: within a tick, clients come in any order. */
export function recordedCoarsely(
  history: History,
  tick: number,
  round: (value: number) => number,
  random: Random,
): History {
  const at = (time: number): number => round(time / tick) * tick;
  const byProcess = Map.groupBy(history.events, ({ process }) => process);
  const rows = [...byProcess.values()].map((events) => events.map((event) => coarse(event, at)));
  const events: HistoryEvent[] = [];
  while (events.length < history.events.length) {
    const open = rows.filter((row) => row.length > 0);
    const time = Math.min(...open.map(([next]) => next?.time ?? Infinity));
    const foremost = open.filter(([next]) => next?.time === time);
    const event = foremost[random.integer(0, foremost.length - 1)]?.shift();
    if (event !== undefined) events.push({ ...event, index: events.length });
  }
  const { backend: _, ...header } = history.header;
  return { header, events };
}

function coarse(event: HistoryEvent, at: (time: number) => number): HistoryEvent {
  const value = event.value as { grantedAt?: number } | undefined;
  const granted = value?.grantedAt === undefined ? {} : { value: { ...value, grantedAt: at(value.grantedAt) } };
  return { ...event, ...granted, time: at(event.time) } as HistoryEvent;
}
