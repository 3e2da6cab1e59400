/** The format of what `lockstorm serve --record` writes. Before it had this name it had that of `WireRecord`. */
export const COMMANDS_FORMAT = "lockstorm-commands";
