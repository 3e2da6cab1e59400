import fc from "fast-check";
import { faults } from "../../../faults/registry.ts";
import { UserError } from "../../core/errors.ts";
import { mostAlike } from "../../core/words/did-you-mean.ts";
import type { Fault, FaultParams } from "../../core/fault.ts";
import { targetNames } from "../../../faults/targets.ts";
import type { TopologySpec } from "../../core/topology.ts";

/** A fault as words ask for it: `partition client-0 | node-0 for 2000`. */
export interface AskedFault {
  readonly fault: Fault;
  readonly params: FaultParams;
  /** How long to wait before it, in milliseconds. */
  readonly afterMs: number;
  /** When it is healed, in milliseconds after it began; undefined: when that is asked for. */
  readonly forMs: number | undefined;
}

/** The faults of servers and links: what happens to the processes of clients is their owner's business. */
export function servedFaults(topology: TopologySpec): readonly Fault[] {
  return faults.filter(
    (fault) =>
      fault.traits.kills !== "client" &&
      fault.traits.pauses !== "client" &&
      fault.unsupportedReason?.(topology) === undefined,
  );
}

/** How a fault is asked for: `latency <names> | <names> delayMs=<n>`. */
export function usageOf(fault: Fault, topology: TopologySpec): string {
  const arbitrary = fault.arbitrary(topology, 2);
  const [example = {}] = arbitrary === undefined ? [] : fc.sample(arbitrary, { numRuns: 1, seed: 1 });
  const words = Object.entries(example).map(([name, value]) => {
    if (name === "between") return "<names> | <names>";
    if (name === "targets") return "<names>";
    return name === "oneWay" ? "" : `${name}=${typeof value === "boolean" ? "true|false" : "<n>"}`;
  });
  return [fault.kind, ...words.filter((word) => word !== "")].join(" ");
}

/**
 * Reads `[after <ms>] <fault> [names] [name=value] [for <ms>]`. A fault may be named by its first word. Between groups
 * stands `|`, or `>` where only what goes from the first to the others is hit.
 * @throws UserError with what is wrong
 */
export function readFaultWords(text: string, topology: TopologySpec): AskedFault {
  const words = text.replaceAll(/[|>]/g, " $& ").split(/\s+/).filter(Boolean);
  const afterMs = words[0] === "after" ? milliseconds(words.splice(0, 2)[1], "after") : 0;
  const end = words.lastIndexOf("for");
  const forMs = end < 0 ? undefined : milliseconds(words.splice(end, 2)[1], "for");
  const [name = "", ...rest] = words;
  const known = servedFaults(topology);
  const fault = known.find(({ kind }) => kind === name) ?? known.find(({ kind }) => kind.startsWith(`${name}-`));
  if (fault === undefined) {
    const kinds = known.map(({ kind }) => kind);
    const alike = mostAlike(name, [...kinds, ...kinds.map((kind) => kind.split("-")[0] ?? kind)]);
    const hint = alike === undefined ? `choose one of ${kinds.join(", ")}` : `did you mean ${alike}?`;
    throw new UserError(`there is no fault "${name}" here`, hint);
  }
  const params = paramsFrom(rest, topology);
  checkParams(fault, params, topology);
  return { fault, params, afterMs, forMs };
}

function paramsFrom(words: readonly string[], topology: TopologySpec): FaultParams {
  const params: FaultParams = {};
  const groups: string[][] = [[]];
  for (const word of words) {
    const [name = "", value] = word.split("=");
    if (value !== undefined) params[name] = valueOf(value);
    else if (word === "|" || word === ">") groups.push([]);
    else groups.at(-1)?.push(known(word, topology));
  }
  if (words.includes(">")) params["oneWay"] = true;
  if (groups.length > 1) params["between"] = groups;
  else if (groups[0]?.length !== 0) params["targets"] = groups[0];
  return params;
}

function known(word: string, topology: TopologySpec): string {
  const names = targetNames(topology, 2).filter((name) => !name.startsWith("client-"));
  if (names.includes(word) || /^client-\d+$/.test(word)) return word;
  throw new UserError(`there is no "${word}" here`, `name client-0 or another client, or one of ${names.join(", ")}`);
}

/** Says how the fault is asked for, where its own message speaks of a plan. */
function checkParams(fault: Fault, params: FaultParams, topology: TopologySpec): void {
  try {
    fault.read(params);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const usage = usageOf(fault, topology);
    throw new UserError(whomMissing(fault, params, usage) ?? error.message, `ask for it as: ${usage}`, {
      cause: error,
    });
  }
}

/** What is wrong with the names that a fault needs; undefined where it is something else. */
function whomMissing({ kind }: Fault, params: FaultParams, usage: string): string | undefined {
  if (!usage.includes("<names>") || params["between"] !== undefined) return undefined;
  if (params["targets"] === undefined) return `nothing says whom ${kind} hits`;
  return usage.includes("|") ? `${kind} hits what goes between two groups of names` : undefined;
}

function valueOf(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return text === "" || Number.isNaN(number) ? text : number;
}

function milliseconds(text: string | undefined, word: string): number {
  const value = Number(text);
  if (text !== undefined && Number.isInteger(value) && value >= 0 && value <= 86_400_000) return value;
  throw new UserError(
    `"${[word, text].join(" ").trimEnd()}" is no time in milliseconds`,
    `write for example ${word} 2000`,
  );
}
