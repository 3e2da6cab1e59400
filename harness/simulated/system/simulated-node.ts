import type { Evidence, NodeHandle } from "../../core/system.ts";
import type { Host } from "../kernel/host.ts";
import type { RedisNode } from "../nodes/redis-node.ts";
import { HarnessConnection } from "./harness-connection.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** A data node of a simulation. */
export class SimulatedNode extends SimulatedProcess implements NodeHandle {
  readonly role = "data";
  readonly node: RedisNode;
  readonly #connection: HarnessConnection;

  /** @param runner the host of the caller of this handle */
  constructor(node: RedisNode, runner: Host) {
    super(node.host);
    this.node = node;
    this.#connection = new HarnessConnection(node, runner);
  }

  start({ keepData }: { readonly keepData: boolean }): Promise<Evidence> {
    const before = this.host.state;
    if (before !== "dead") {
      return Promise.resolve({ observed: keepData, detail: `${this.name} was not dead, but ${before}` });
    }
    this.node.start(keepData);
    const keys = this.node.server.database(0).slots.size;
    const from = keepData ? "with what its disk kept" : "empty";
    return Promise.resolve({
      observed: this.host.state === "running",
      detail: `${this.name} started ${from}, ${keys} keys`,
    });
  }

  losePower(): Promise<Evidence> {
    const lost = this.node.losePower();
    const detail = `${this.name} lost its power, and ${lost} change(s) that were not yet on its disk`;
    return Promise.resolve({ observed: this.host.state === "dead", detail });
  }

  command(...args: readonly (string | number)[]): Promise<unknown> {
    if (this.host.state !== "running") {
      return Promise.reject(new Error(`${this.name} is ${this.host.state}: ${String(args[0])} was not answered`));
    }
    return this.#connection.ask(args.map(String));
  }
}
