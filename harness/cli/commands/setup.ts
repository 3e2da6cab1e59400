import { setup as prepare } from "../../containers/setup.ts";
import { EXIT } from "../../core/verdict.ts";
import { type Command, refuseOperands } from "../command.ts";
import { Progress } from "../progress.ts";

/** `lockstorm setup`: everything that containers need, once. */
export const setup: Command = {
  name: "setup",
  summary: "install and build what the containers need; a second time changes nothing",
  operands: "",
  flags: {},
  examples: ["lockstorm setup"],
  run: async ({ operands }) => {
    refuseOperands("setup", operands);
    using progress = new Progress();
    await prepare({ onProgress: (line) => progress.step(line) });
    progress[Symbol.dispose]();
    console.log("ready: containers can run here");
    return EXIT.valid;
  },
};
