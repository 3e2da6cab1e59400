import { CLIENT_CRASH, PROMOTION } from "../core/fault-traits.ts";
import type { Notice } from "../core/system.ts";
import type { EventPublisher } from "./event-publisher.ts";
import type { Recorder } from "./recorder.ts";

/** What a notice is recorded with. */
export interface NoticeWriters {
  readonly recorder: Recorder;
  readonly publisher: EventPublisher;
  /** The processes that a client runs as; none for a server. */
  readonly processesOf: (name: string) => readonly number[];
}

/** Records what happened without a fault of the plan: a client crashed, a process was frozen, a replica became master. */
export function recordNotice(
  notice: Extract<Notice, { readonly kind: "crashed" | "froze" | "promotion" }>,
  { recorder, publisher, processesOf }: NoticeWriters,
): void {
  if (notice.kind === "crashed") {
    const { name, evidence, stack } = notice;
    const value = { phase: "start" as const, targets: [name], outcome: "installed" as const, evidence };
    const more = { ...ifAny(processesOf(name)), stack: [...stack] };
    recorder.record({ process: "nemesis", type: "fault", f: CLIENT_CRASH, value: { ...value, ...more } });
  } else if (notice.kind === "froze") {
    const { name, from, to, evidence, lasts } = notice;
    const value = { targets: [name], from, to, evidence, ...(lasts ? { lasts } : {}), ...ifAny(processesOf(name)) };
    recorder.record({ process: "harness", type: "notice", f: "freeze", value });
  } else {
    const value = { phase: "start" as const, targets: [notice.node], outcome: "installed" as const };
    void publisher.fault(PROMOTION, { ...value, evidence: notice.evidence });
  }
}

/** The key is absent where there is no process: events are compared key by key. */
function ifAny(processes: readonly number[]): { readonly processes?: number[] } {
  return processes.length === 0 ? {} : { processes: [...processes] };
}
