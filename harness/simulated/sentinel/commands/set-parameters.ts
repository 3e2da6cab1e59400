import { ErrorReply, MapReply, OK, type Reply } from "../../redis/protocol/reply.ts";
import { announce } from "../events.ts";
import type { MasterInstance } from "../instance.ts";
import type { Sentinel } from "../sentinel.ts";
import { TIMING_NAMES } from "../timing.ts";
import { integerOf, word } from "./sentinel-command.ts";

/** The options of a master that `SENTINEL SET` can change. `least` is the smallest value allowed. */
const PARAMETERS: ReadonlyMap<string, { least: number; set: (master: MasterInstance, value: number) => void }> =
  new Map([
    [
      "down-after-milliseconds",
      {
        least: 1,
        set: (master, value) => {
          for (const instance of [master, ...master.replicas.values(), ...master.sentinels.values()]) {
            instance.downAfterMs = value;
          }
        },
      },
    ],
    ["failover-timeout", { least: 1, set: (master, value) => (master.failoverTimeoutMs = value) }],
    ["parallel-syncs", { least: 1, set: (master, value) => (master.parallelSyncs = value) }],
    ["quorum", { least: 1, set: (master, value) => (master.quorum = value) }],
    ["master-reboot-down-after-period", { least: 0, set: (master, value) => (master.rebootDownAfterMs = value) }],
  ]);

/** `SENTINEL SET <name> <option> <value> ...`: options before a mistake take effect nevertheless. */
export function setParameters(sentinel: Sentinel, master: MasterInstance, argv: readonly string[]): Reply {
  let isChanged = false;
  const refuse = (text: string): Reply => {
    if (isChanged) sentinel.save();
    return new ErrorReply(text);
  };
  for (let index = 3; index < argv.length; index += 2) {
    const [option, text] = [word(argv, index), argv[index + 1]];
    const parameter = PARAMETERS.get(option.toLowerCase());
    if (parameter === undefined || text === undefined) {
      return refuse(`ERR Unknown option or number of arguments for SENTINEL SET '${option}'`);
    }
    const value = integerOf(text);
    if (value === undefined || value < parameter.least) {
      return refuse(`ERR Invalid argument '${text}' for SENTINEL SET '${option}'`);
    }
    parameter.set(master, value);
    isChanged = true;
    announce(sentinel, "+set", master, ` ${option} ${text}`);
  }
  sentinel.save();
  return OK;
}

/** `SENTINEL DEBUG`: shows or changes periods. */
export function debugTiming(sentinel: Sentinel, argv: readonly string[]): Reply {
  if (argv.length === 2) {
    return new MapReply(
      [...TIMING_NAMES].flatMap(([name, field]) => [name.toUpperCase(), String(sentinel.timing[field])]),
    );
  }
  for (let index = 2; index < argv.length; index += 2) {
    const [option, text] = [word(argv, index), argv[index + 1]];
    const field = TIMING_NAMES.get(option.toLowerCase());
    if (field === undefined || text === undefined) {
      return new ErrorReply(`ERR Unknown option or number of arguments for SENTINEL DEBUG '${option}'`);
    }
    const value = integerOf(text);
    if (value === undefined || value <= 0) {
      return new ErrorReply(`ERR Invalid argument '${text}' for SENTINEL DEBUG '${option}'`);
    }
    sentinel.timing[field] = value;
  }
  return OK;
}
