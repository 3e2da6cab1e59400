import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { renderStorePage } from "../../../reports/html/store-page.ts";
import { printable } from "../../core/printable.ts";
import { EXIT } from "../../core/verdict.ts";
import { replaceFile } from "../../run/output-file.ts";
import { STORE } from "../../run/store.ts";
import { type Command, refuseOperands } from "../command.ts";
import { INDEX, readStore } from "../store/read-store.ts";
import { print } from "../terminal.ts";

/** `lockstorm open`: a page with all that a store holds. */
export const open: Command = {
  name: "open",
  summary: "write a page that lists all runs, hunts and tables of a store, and print its address",
  operands: "",
  flags: { store: { value: "folder", help: "the store to list", default: STORE } },
  examples: ["lockstorm open", "lockstorm open --store results"],
  run: async ({ operands, flags }) => {
    refuseOperands("open", operands, "name the store with --store");
    const store = flags.text("store") ?? STORE;
    const listing = readStore(store);
    const page = join(store, INDEX);
    replaceFile(page, renderStorePage(listing));
    const { runs, campaigns, unreadable } = listing;
    const broken = runs.filter(({ verdict }) => verdict === "invalid").length;
    const lost = unreadable.length === 0 ? "" : `, ${unreadable.length} not readable`;
    print(`${runs.length} runs, ${broken} of them invalid${lost}; ${campaigns.length} hunts, tables and other pages\n`);
    print(`\nOpen in a browser\n  ${printable(pathToFileURL(resolve(page)).href)}\n`);
    return EXIT.valid;
  },
};
