import { print } from "../terminal.ts";
import { EXIT } from "../../core/verdict.ts";
import { type Command, refuseOperands } from "../command.ts";
import { has, scaffold } from "../scaffold.ts";

/** `lockstorm init`: writes the files that a project needs to hunt its lock. */
export const init: Command = {
  name: "init",
  summary: "write a configuration, an example driver and a CI workflow into this folder",
  operands: "",
  flags: {},
  examples: ["lockstorm init"],
  exits: {
    valid: "written; files that were there already are left as they are",
  },
  run: async ({ operands }) => {
    refuseOperands("init", operands);
    const folder = process.cwd();
    const files = scaffold(folder);
    for (const { path, action } of files) print(`${action.padEnd(8)}  ${path}\n`);
    const lacking = ["lockstorm", "ioredis"].filter((name) => !has(folder, name));
    const steps = [
      ...(lacking.length === 0 ? [] : [`npm install --save-dev ${lacking.join(" ")}`]),
      "npx lockstorm hunt",
    ];
    print(`\nNext\n${steps.map((step) => `  ${step}`).join("\n")}\n`);
    return EXIT.valid;
  },
};
