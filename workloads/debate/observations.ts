import type { History } from "../../harness/history/history.ts";

/** Whether every one of these clients was granted the lock. */
export function granted(history: History, ...clients: readonly number[]): boolean {
  const { clients: all = clients.length } = history.header;
  const holders = new Set(
    history.events.flatMap((event) => (event.type === "ok" && event.f === "acquire" ? [event.process % all] : [])),
  );
  return clients.every((client) => holders.has(client));
}

/** Whether all faults of the run, and at least one, were seen to take effect. */
export function faultsTookEffect(history: History): boolean {
  const faults = history.events.filter((event) => event.type === "fault" && event.f !== "promotion");
  return faults.length > 0 && faults.every((event) => event.type === "fault" && event.value.outcome === "installed");
}
