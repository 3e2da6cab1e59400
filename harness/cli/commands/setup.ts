import { print } from "../terminal.ts";
import { NODE_SERVERS } from "../../containers/setup/images.ts";
import { setup as prepare } from "../../containers/setup/setup.ts";
import { EXIT } from "../../core/verdict.ts";
import { TOOLCHAINS } from "../../external/languages/registry.ts";
import { LANGUAGES } from "../../../lock-impl/workers/workers.ts";
import { cleanup } from "../../campaign/cleanup.ts";
import { type Command, refuseOperands } from "../command.ts";
import { TerminalProgress } from "../terminal-progress.ts";

/** `lockstorm setup`: installs once what containers need: testcontainers, an engine, images. */
export const setup: Command = {
  name: "setup",
  summary: "install and build what the containers need; running it again is harmless",
  operands: "",
  flags: {
    server: {
      value: "servers",
      help: `servers to build images for, separated by commas: ${NODE_SERVERS.join(", ")}`,
      default: "redis8",
      choices: NODE_SERVERS,
    },
    with: {
      value: "languages",
      help: `languages whose lock libraries to install into lockstorm's own folder, separated by commas: ${LANGUAGES.join(", ")}`,
      choices: LANGUAGES,
    },
  },
  examples: ["lockstorm setup", "lockstorm setup --server redis7,valkey", "lockstorm setup --with python,go"],
  exits: {
    valid: "everything is installed",
  },
  run: async ({ operands, flags }) => {
    refuseOperands("setup", operands);
    const servers = flags.list("server", NODE_SERVERS) ?? ["redis8"];
    const languages = flags.list("with", LANGUAGES) ?? [];
    cleanup.isDue = true;
    using progress = new TerminalProgress();
    const onProgress = (line: string): void => progress.step(line);
    await prepare({ servers, onProgress });
    for (const language of languages) await TOOLCHAINS[language].prepare(onProgress);
    progress[Symbol.dispose]();
    print(`ready: containers can run here\n`);
    return EXIT.valid;
  },
};
