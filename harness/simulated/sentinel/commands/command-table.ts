import { ErrorReply, type Reply } from "../../redis/protocol/reply.ts";
import { connectionCommands } from "./connection-commands.ts";
import { infoCommands } from "./info-commands.ts";
import { pubsubCommands } from "./pubsub-commands.ts";
import { checkedRun, word, type SentinelCaller, type SentinelCommand } from "./sentinel-command.ts";
import { sentinelCommand } from "./sentinel-subcommands.ts";

const COMMANDS: ReadonlyMap<string, SentinelCommand> = new Map(
  [...connectionCommands, ...pubsubCommands, ...infoCommands, sentinelCommand].map((command) => [
    command.name,
    command,
  ]),
);

/** An error about an unknown command repeats this many characters of its arguments. */
const SHOWN_CHARACTERS = 128;

/** Runs a client's command. */
export function runCommand(argv: readonly string[], caller: SentinelCaller): Reply {
  const given = word(argv, 0);
  const command = COMMANDS.get(given.toLowerCase());
  if (command === undefined) return unknownCommand(given, argv.slice(1));
  caller.session.lastCommand = command.name;
  return checkedRun(command, argv, caller);
}

function unknownCommand(name: string, args: readonly string[]): ErrorReply {
  let shown = "";
  for (const argument of args) {
    if (shown.length >= SHOWN_CHARACTERS) break;
    shown += `'${argument.slice(0, SHOWN_CHARACTERS - shown.length)}' `;
  }
  const text = `ERR unknown command '${name.slice(0, SHOWN_CHARACTERS)}', with args beginning with: ${shown}`;
  return new ErrorReply(text.replaceAll(/[\r\n]/g, " "));
}
