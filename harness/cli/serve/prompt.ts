import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { readFaultWords, servedFaults, usageOf } from "../../campaign/serve/fault-words.ts";
import type { Service } from "../../campaign/serve/service.ts";
import { UserError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { TopologySpec } from "../../core/topology.ts";
import { textTable } from "../catalogue/text-table.ts";

/** Where the prompt writes. */
export interface PromptOutput {
  print(text: string): void;
  /** Whether somebody is looking, who is to see that it waits. */
  readonly isTerminal: boolean;
}

const PROMPT = "lockstorm> ";

/**
 * Reads commands line by line until `quit`, the end of the input, or the signal. A mistake in a line is told in a line.
 */
export async function converse(
  service: Service,
  topology: TopologySpec,
  input: Readable,
  output: PromptOutput,
  signal: AbortSignal,
): Promise<void> {
  const reader = createInterface({ input, signal });
  // From now on: a line that came before anybody listened would be lost.
  const lines = reader[Symbol.asyncIterator]();
  const invite = (): void => {
    if (output.isTerminal) output.print(PROMPT);
  };
  invite();
  for await (const line of lines) {
    if (line.trim() === "quit") break;
    try {
      output.print(await answer(service, topology, line.trim()));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      output.print(`${printable(`${error.message}; ${error.hint}`)}\n`);
    }
    invite();
  }
  reader.close();
}

async function answer(service: Service, topology: TopologySpec, line: string): Promise<string> {
  const [word = "", ...rest] = line.split(/\s+/);
  switch (word) {
    case "":
      return "";
    case "help":
      return helpFor(topology);
    case "status":
      return statusOf(service);
    // What a user may call it who thinks of a server: it goes on, it starts again.
    case "heal":
    case "resume":
    case "start":
      await service.heal(rest);
      return "";
    default:
      await service.ask(readFaultWords(line, topology));
      return "";
  }
}

/** All commands, with the faults that this topology has. */
function helpFor(topology: TopologySpec): string {
  const faults = servedFaults(topology).map((fault) => [usageOf(fault, topology), fault.summary]);
  return textTable(
    ["command", "what happens"],
    [
      ["status", "the state of every server, and the faults in force"],
      ["heal [names or numbers]", "ends these faults, or all; also start, resume"],
      ["quit", "ends all; so do the end of input and Ctrl-C"],
      ...faults,
      ["after <ms> <fault>", "the same, later"],
      ["<fault> for <ms>", "the same, and heals it"],
    ],
  ).concat(
    "A fault may be named by its first word: kill, restart, pause, clock. In place of | stands > for one way only.\n",
  );
}

async function statusOf(service: Service): Promise<string> {
  const servers = await service.status();
  const rows = servers.map(({ name, state, role = "", keys }) => [
    name,
    state,
    role,
    keys === undefined ? "" : `${keys} keys`,
  ]);
  const faults = service.inForce.map(
    ({ number, kind, targets }) => `${number} ${kind}: ${targets.length === 0 ? "nobody" : targets.join(", ")}\n`,
  );
  return textTable(["server", "state", "role", ""], rows) + faults.join("");
}
