import { AUDIT_STREAM, auditEntry, LARGEST_FENCE, RESOURCE_STATE } from "../../core/audit-log.ts";
import type { AuditEntry, Evidence, ResourceHandle } from "../../core/system.ts";
import type { Host } from "../kernel/host.ts";
import type { RedisNode } from "../nodes/redis-node.ts";
import type { Effect } from "../redis/effects.ts";
import { HarnessConnection } from "./harness-connection.ts";

/** Reads the guarded resource's log as it is written, and reports it in the runner's host. */
export class SimulatedResource implements ResourceHandle {
  readonly #runner: Host;
  readonly #listeners: ((entry: AuditEntry) => void)[] = [];

  readonly #node: () => RedisNode;
  #connection: HarnessConnection | undefined;

  /** @param node returns the server behind it, which is made later */
  constructor(runner: Host, node: () => RedisNode) {
    this.#runner = runner;
    this.#node = node;
  }

  /** Call it with every change of the resource's data. */
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

  /** Events of this instant report what was observed so far; they were scheduled before this one. */
  drain(): Promise<void> {
    return new Promise((resolve) => this.#runner.post("drain", resolve));
  }

  async forgetFences(): Promise<Evidence> {
    this.#connection ??= new HarnessConnection(this.#node(), this.#runner);
    return forgetFences(async (...argv) => this.#connection?.ask(argv));
  }
}

/** See `ResourceHandle.forgetFences`. @param ask asks the server behind the resource */
export async function forgetFences(ask: (...argv: readonly string[]) => Promise<unknown>): Promise<Evidence> {
  const keys = await ask("KEYS", `${RESOURCE_STATE}*`);
  let forgotten = 0;
  for (const key of Array.isArray(keys) ? keys : []) {
    forgotten += Number(await ask("HDEL", String(key), ...LARGEST_FENCE)) > 0 ? 1 : 0;
  }
  return {
    observed: forgotten > 0,
    detail: `the resource forgot the largest fencing token of ${forgotten} value(s)`,
  };
}
