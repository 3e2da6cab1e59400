import { UserError } from "../../core/errors.ts";
import { hintFor } from "../../core/words/did-you-mean.ts";
import { EXIT } from "../../core/verdict.ts";
import type { Command } from "../command.ts";
import { completionScript, SHELLS } from "../completion-scripts.ts";
import { print } from "../terminal.ts";

/** `lockstorm completion`: the script by which a shell completes words. */
export const completion: Command = {
  name: "completion",
  summary: "print a completion script for bash, zsh or fish",
  operands: `<${SHELLS.join("|")}>`,
  operandChoices: SHELLS,
  flags: {},
  examples: [
    "lockstorm completion bash >> ~/.bashrc",
    "lockstorm completion fish > ~/.config/fish/completions/lockstorm.fish",
  ],
  exits: {
    valid: "printed",
  },
  run: async ({ operands, allCommands }) => {
    const shell = SHELLS.find((candidate) => candidate === operands[0]);
    if (shell === undefined || operands.length > 1) {
      throw new UserError("completion takes one shell", hintFor(operands[0] ?? "", SHELLS));
    }
    print(completionScript(shell, await allCommands()));
    return EXIT.valid;
  },
};
