/** `npm run docs:cli`: writes `docs/cli.md` from the table of commands. */
import { writeFileSync } from "node:fs";
import { cliDocument } from "./cli-document.ts";
import { allCommands } from "./commands/registry.ts";

const commands = await allCommands();

writeFileSync(new URL("../../docs/cli.md", import.meta.url), cliDocument(commands));
