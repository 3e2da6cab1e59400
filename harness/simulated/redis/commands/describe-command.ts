import type { Command } from "../command.ts";
import { SetReply, StatusReply, type Reply } from "../protocol/reply.ts";

/** Flags that the server keeps to itself. */
const HIDDEN = new Set(["may_replicate", "touches_arbitrary_keys"]);

/** A command as COMMAND INFO describes it, without tips and key specifications, which nobody here needs. */
export function describeCommand(spec: Command): Reply {
  const flags = [...spec.flags].filter((flag) => !HIDDEN.has(flag)).map((flag) => new StatusReply(flag));
  const subcommands = [...(spec.subcommands?.values() ?? [])].map(describeCommand);
  const categories = new SetReply([]);
  return [
    spec.name,
    spec.arity,
    new SetReply(flags),
    ...spec.keys,
    categories,
    new SetReply([]),
    new SetReply([]),
    subcommands,
  ];
}
