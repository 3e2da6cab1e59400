// First: what a program calls must be patched.
import "../install.ts";
import { Kernel } from "../../kernel/kernel.ts";
import { Network } from "../../network/network.ts";

/** Runs a program in a host, and returns its result. */
export async function inHost<T>(program: () => T | Promise<T>, seed = 1, name = "client-0"): Promise<T> {
  const kernel = new Kernel({ seed });
  const host = kernel.host(name);
  new Network(kernel).add(host);
  const task = host.spawn("main", program);
  await kernel.run();
  const [failure] = host.failures;
  if (failure !== undefined) throw failure.error;
  if (task.state !== "done") throw new Error(`the program is ${task.state}`);
  return task.value as T;
}

/** Runs `call` as the simulation's own code. */
export async function inService(call: () => unknown): Promise<void> {
  const kernel = new Kernel({ seed: 1 });
  kernel.host("node-0", { runs: "service" }).post("call", call);
  await kernel.run();
}
