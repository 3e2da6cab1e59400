import { locks } from "../../../lock-impl/registry.ts";
import { catalogue } from "../../../workloads/catalogue.ts";
import { NODE_SERVERS } from "../../containers/images.ts";
import { UserError } from "../../core/errors.ts";
import { TOPOLOGIES } from "../../core/topology.ts";
import { EXIT, PROPERTIES } from "../../core/verdict.ts";
import { BACKENDS } from "../backend.ts";
import { FAULT_KINDS, PERSISTENCE } from "../campaign-command.ts";
import type { Command } from "../command.ts";
import { completionScript, SHELLS } from "../completion-scripts.ts";
import { FORMATS } from "./report.ts";

/** `lockstorm completion`: what a shell needs to complete words. @param commands all there are, itself among them */
export function completionFor(commands: () => readonly Command[]): Command {
  return {
    name: "completion",
    summary: "print what bash, zsh or fish need to complete lockstorm's words",
    operands: `<${SHELLS.join("|")}>`,
    flags: {},
    examples: [
      "lockstorm completion bash >> ~/.bashrc",
      "lockstorm completion fish > ~/.config/fish/completions/lockstorm.fish",
    ],
    run: async ({ operands }) => {
      const shell = SHELLS.find((candidate) => candidate === operands[0]);
      if (shell === undefined || operands.length > 1) {
        throw new UserError("completion takes one shell", `choose one of ${SHELLS.join(", ")}`);
      }
      process.stdout.write(
        completionScript(shell, commands(), {
          flags: {
            lock: locks.map(({ name }) => name),
            topology: TOPOLOGIES,
            persistence: PERSISTENCE,
            faults: FAULT_KINDS,
            backend: BACKENDS,
            server: NODE_SERVERS,
            require: PROPERTIES,
            format: FORMATS,
          },
          operands: { reproduce: catalogue.map(({ slug }) => slug), completion: SHELLS },
        }),
      );
      return EXIT.valid;
    },
  };
}
