import type { AuditEntry, Evidence, ResourceHandle } from "../core/system.ts";
import { forgetFences, type SimulatedResource } from "../simulated/system/simulated-resource.ts";
import type { LiveNode } from "./live-node.ts";
import { outside, type RealTime } from "./real-time.ts";

/** The guarded resource as the real world handles it. */
export class LiveResource implements ResourceHandle {
  readonly #inner: SimulatedResource;
  readonly #node: LiveNode;
  readonly #time: RealTime;

  /** @param node the server behind it */
  constructor(inner: SimulatedResource, node: LiveNode, time: RealTime) {
    this.#inner = inner;
    this.#node = node;
    this.#time = time;
  }

  onAudit(listener: (entry: AuditEntry) => void): void {
    this.#inner.onAudit(outside(listener));
  }

  drain(): Promise<void> {
    return this.#time.enter(() => this.#inner.drain());
  }

  forgetFences(): Promise<Evidence> {
    return forgetFences((...argv) => this.#node.command(...argv));
  }
}
