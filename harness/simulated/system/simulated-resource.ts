import { AUDIT_STREAM, auditEntry } from "../../core/audit-log.ts";
import type { AuditEntry, ResourceHandle } from "../../core/system.ts";
import type { Host } from "../kernel/host.ts";
import type { Effect } from "../redis/effects.ts";

/** Reads the guarded resource's log as it is written, and tells of it in the runner's host. */
export class SimulatedResource implements ResourceHandle {
  readonly #runner: Host;
  readonly #listeners: ((entry: AuditEntry) => void)[] = [];

  constructor(runner: Host) {
    this.#runner = runner;
  }

  /** To be given every change of the resource's data. */
  observe(effects: readonly Effect[]): void {
    for (const { argv } of effects) {
      const [name, stream, , ...fields] = argv;
      if (name?.toUpperCase() !== "XADD" || stream !== AUDIT_STREAM) continue;
      const entry = auditEntry(fields);
      this.#runner.post("audit", () => this.#listeners.forEach((listener) => listener(entry)));
    }
  }

  onAudit(listener: (entry: AuditEntry) => void): void {
    this.#listeners.push(listener);
  }

  /** What was observed so far is told by events of this instant, which were scheduled before this one. */
  drain(): Promise<void> {
    return new Promise((resolve) => this.#runner.post("drain", resolve));
  }
}
