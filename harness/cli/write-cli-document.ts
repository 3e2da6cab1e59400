/** `npm run docs:cli`: writes `docs/cli.md` from the table of commands. */
import { writeFileSync } from "node:fs";
import { cliDocument } from "./cli-document.ts";
import { commands } from "./commands/registry.ts";

writeFileSync(new URL("../../docs/cli.md", import.meta.url), cliDocument(commands));
