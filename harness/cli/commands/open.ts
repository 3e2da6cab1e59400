import { once } from "node:events";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { renderStorePage } from "../../../reports/html/store-page.ts";
import type { StoreListing } from "../../../reports/html/store-listing.ts";
import { count } from "../../../reports/wording.ts";
import { UserError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { EXIT } from "../../core/verdict.ts";
import { replaceFile } from "../../run/output-file.ts";
import { STORE } from "../../run/store.ts";
import { type Command, type CommandInput, refuseOperands } from "../command.ts";
import { INDEX, StoreReader } from "../store/read-store.ts";
import { StoreServer } from "../store/store-server.ts";
import { writeStaticSite } from "../store/static-site.ts";
import { print } from "../terminal.ts";
import { TerminalProgress } from "../terminal-progress.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** `lockstorm open`: a page with all that a store holds. */
export const open: Command = {
  name: "open",
  summary: "write a page that lists all runs, hunts, explorations and tables of a store, or show it live",
  operands: "",
  flags: {
    store: { value: "folder", help: "the store to list", default: STORE },
    live: { help: "serve the page on this machine, and update it while hunts run; Ctrl-C ends it" },
    port: { value: "number", help: "with --live: the port on 127.0.0.1 (default: any free port)" },
    static: {
      value: "folder",
      help: "write a site for publication into this folder: the page, all reports, the catalogue as a gallery, the glossary, the API reference",
    },
  },
  examples: [
    "lockstorm open",
    "lockstorm open --store results --live",
    "lockstorm open --store results --static public",
  ],
  exits: {
    valid: "written or shown",
  },
  run: async (input) => {
    const { operands, flags } = input;
    refuseOperands("open", operands, "name the store with --store");
    const store = flags.text("store") ?? STORE;
    const folder = flags.text("static");
    if (flags.on("live") && folder !== undefined) throw new UserError("--live and --static are two things", "give one");
    if (flags.text("port") !== undefined && !flags.on("live")) {
      throw new UserError("--port needs --live", "without it no server runs: leave out --port");
    }
    const reader = new StoreReader(store);
    const listing = await readWithProgress(reader);
    print(wordsOf(listing));
    if (flags.on("live")) return serve(store, { reader, listing }, input);
    if (folder !== undefined) return writeSite(listing, folder, input);
    const page = join(store, INDEX);
    replaceFile(page, renderStorePage(listing));
    print(`\nOpen in a browser\n  ${printable(pathToFileURL(resolve(page)).href)}\n`);
    return EXIT.valid;
  },
};

async function readWithProgress(reader: StoreReader): Promise<StoreListing> {
  using progress = new TerminalProgress();
  return reader.read((done, all) => progress.step(`read ${inFigures(done)} of ${inFigures(all)} new runs`));
}

function wordsOf({ runs, campaigns, unreadable }: StoreListing): string {
  const broken = runs.filter(({ verdict }) => verdict === "invalid").length;
  const lost = unreadable.length === 0 ? "" : `, ${unreadable.length} not readable`;
  return `${count(runs.length, "run")}, ${inFigures(broken)} of them invalid${lost}; ${count(campaigns.length, "hunt, exploration or table", "hunts, explorations and tables")}\n`;
}

async function serve(
  store: string,
  { reader, listing }: { readonly reader: StoreReader; readonly listing: StoreListing },
  { flags, signal }: CommandInput,
): Promise<number> {
  const port = flags.integer("port", 0, 65_535, { example: 8080 }) ?? 0;
  await using server = await StoreServer.start(store, { reader, listing, port });
  print(`\nOpen in a browser; Ctrl-C ends it\n  ${server.address}\n`);
  if (!signal.aborted) await once(signal, "abort");
  return EXIT.valid;
}

async function writeSite(listing: StoreListing, folder: string, { signal }: CommandInput): Promise<number> {
  using progress = new TerminalProgress();
  const { pages } = await writeStaticSite(listing, folder, { progress, signal });
  progress[Symbol.dispose]();
  print(`\n${pages} pages, to publish as they are\n  ${printable(pathToFileURL(resolve(folder, INDEX)).href)}\n`);
  return EXIT.valid;
}
