import { readFaultWords } from "../../campaign/serve/fault-words.ts";
import { followable, Service } from "../../campaign/serve/service.ts";
import type { TopologyKind } from "../../core/topologies/registry.ts";
import { DEFAULT_TOPOLOGY, isSimulated, TOPOLOGIES, topologySchema, type TopologySpec } from "../../core/topology.ts";
import { readPlan } from "../../run/store.ts";
import type { Plan } from "../../core/plan.ts";
import { EXIT } from "../../core/verdict.ts";
import { type Command, type Flags, refuseOperands } from "../command.ts";
import { AUTO_HELP, readSeed } from "../flags/seed-flag.ts";
import { greeting } from "../serve/greeting.ts";
import { converse } from "../serve/prompt.ts";
import { standardInput } from "../standard-input.ts";
import { outputTerminal, print } from "../terminal.ts";

const SERVED = TOPOLOGIES.filter(isSimulated);

/**
 * `lockstorm serve`: the simulated servers on loopback ports, in real time, for programs that lockstorm does not start;
 * faults from a prompt, from flags or from a plan. No container engine.
 */
export const serve: Command = {
  name: "serve",
  summary: "run simulated servers on loopback ports, in real time, with faults on request",
  operands: "",
  flags: {
    topology: { value: "topology", help: "the servers", default: DEFAULT_TOPOLOGY, choices: SERVED },
    clients: {
      value: "number",
      help: "number of clients; each has its own addresses, so that a fault can hit one client",
      default: "2",
    },
    port: { value: "port", help: "the first of the ports to listen on; 0 takes free ones", default: "0" },
    persistence: {
      value: "mode",
      help: "what servers keep on disk: none, everysec, always",
      default: "none",
      choices: ["none", "everysec", "always"],
    },
    fault: {
      value: "words",
      help: 'inject a fault, in the words of the prompt: "after 5000 kill node-0 for 2000"',
      repeatable: true,
    },
    plan: { value: "file", help: "take the topology, the seed and the faults from this plan" },
    record: { value: "file", help: "write commands, replies and faults to this file, as lines of JSON" },
    seed: { value: "seed", help: `seed of delays between servers and of elections; ${AUTO_HELP}`, default: "1" },
    "no-prompt": { help: "read no commands; end only at a signal" },
  },
  examples: [
    "lockstorm serve --topology sentinel",
    'lockstorm serve --port 7000 --fault "after 5000 kill node-0 for 2000"',
  ],
  exits: {
    valid: "served until quit or the end of its input",
  },
  run: async ({ operands, flags, signal }) => {
    refuseOperands("serve", operands);
    const { topology, seed, plan } = readScene(flags);
    const asked = (flags.text("fault") ?? "").split(",").filter((words) => words.trim() !== "");
    const faults = asked.map((words) => readFaultWords(words, topology));
    const clients = flags.integer("clients", 1, 16) ?? 2;
    const firstPort = flags.integer("port", 0, 65_000, { example: 7000 });
    const recording = flags.text("record");
    // Before anybody is told an address.
    if (plan !== undefined) followable(plan.faults);
    const onEvent = (line: string): void => print(`${line}\n`);
    await using service = await Service.start({ topology, seed, clients, firstPort, recording, onEvent });
    print(greeting(service, topology, seed));
    for (const fault of faults) await service.ask(fault);
    if (plan !== undefined) service.follow(plan);
    const { isTerminal } = outputTerminal();
    const end = flags.on("no-prompt")
      ? new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
      : converse(service, topology, standardInput(), { print, isTerminal }, signal);
    await Promise.race([end, service.failure]);
    return EXIT.valid;
  },
};

function readScene(flags: Flags): { readonly topology: TopologySpec; readonly seed: number; readonly plan?: Plan } {
  const file = flags.text("plan");
  if (file !== undefined) {
    const plan = readPlan(file);
    return { topology: plan.topology, seed: plan.seed, plan };
  }
  const kind: TopologyKind = flags.choice("topology", SERVED) ?? DEFAULT_TOPOLOGY;
  const persistence = flags.choice("persistence", ["none", "everysec", "always"]) ?? "none";
  return { topology: topologySchema.parse({ kind, persistence }), seed: readSeed(flags) ?? 1 };
}
