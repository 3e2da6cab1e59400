import type { Evidence, NodeHandle } from "../../core/system.ts";
import { encodeReply, toBytes } from "../redis/protocol/resp-encoder.ts";
import type { SimulatedSentinel } from "../sentinel/simulated-sentinel.ts";
import { CommandReply } from "./command-reply.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** A Sentinel of a simulation. */
export class SimulatedSentinelNode extends SimulatedProcess implements NodeHandle {
  readonly role = "sentinel";
  readonly sentinel: SimulatedSentinel;

  constructor(sentinel: SimulatedSentinel) {
    super(sentinel.host);
    this.sentinel = sentinel;
  }

  start({ keepData }: { readonly keepData: boolean }): Promise<Evidence> {
    const before = this.host.state;
    if (before !== "dead") {
      return Promise.resolve({ observed: keepData, detail: `${this.name} was not dead, but ${before}` });
    }
    this.sentinel.start({ keepData });
    const what = keepData ? "with what its configuration kept" : "with its first configuration";
    return Promise.resolve({ observed: this.host.state === "running", detail: `${this.name} started ${what}` });
  }

  command(...args: readonly (string | number)[]): Promise<unknown> {
    if (this.host.state !== "running") {
      return Promise.reject(new Error(`${this.name} is ${this.host.state}: ${String(args[0])} was not answered`));
    }
    const reply = new CommandReply();
    reply.push(toBytes(encodeReply(this.sentinel.command(...args.map(String)), 2)));
    try {
      return Promise.resolve(reply.take()?.value);
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
