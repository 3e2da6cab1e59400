import { NODE_SERVERS } from "../../containers/images.ts";
import { setup as prepare } from "../../containers/setup.ts";
import { EXIT } from "../../core/verdict.ts";
import { type Command, refuseOperands } from "../command.ts";
import { Progress } from "../progress.ts";

/** `lockstorm setup`: everything that containers need, once. */
export const setup: Command = {
  name: "setup",
  summary: "install and build what the containers need; a second time changes nothing",
  operands: "",
  flags: {
    server: {
      value: "servers",
      help: `what nodes shall be able to run, separated by commas: ${NODE_SERVERS.join(", ")}`,
      default: "redis8",
    },
  },
  examples: ["lockstorm setup", "lockstorm setup --server redis7,valkey"],
  run: async ({ operands, flags }) => {
    refuseOperands("setup", operands);
    const servers = flags.list("server", NODE_SERVERS) ?? ["redis8"];
    using progress = new Progress();
    await prepare({ servers, onProgress: (line) => progress.step(line) });
    progress[Symbol.dispose]();
    console.log("ready: containers can run here");
    return EXIT.valid;
  },
};
