import { z } from "zod";
import { UserError } from "../../core/errors.ts";
import { readJournal } from "../../run/campaign-journal.ts";
import { STORE } from "../../run/store.ts";
import { commonIdentity, journalsIn, mergeHunt, mergeLadder } from "../campaign/merge-results.ts";
import { readFormats, reportFlag } from "../campaign/report-files.ts";
import type { Command } from "../command.ts";

/** `lockstorm merge`: the results of the shards of one campaign as if it had been done in one piece. */
export const merge: Command = {
  name: "merge",
  summary: "put the results of a campaign's shards together",
  operands: "<results...>",
  flags: {
    store: { value: "folder", help: "where counterexamples and reports go", default: STORE },
    former: { value: "folder", help: "results to compare a table with (default: what the store held before)" },
    ...reportFlag,
    json: { help: "print as the hunt would with --json" },
  },
  examples: [
    "lockstorm merge results-1 results-2 results-3 results-4",
    "lockstorm merge results-* --store merged --former last-week --report markdown,junit",
  ],
  run: async ({ operands, flags }) => {
    if (operands.length === 0) throw new UserError("merge takes folders of results", "give the --store of each shard");
    const files = journalsIn(operands);
    const { kind } = commonIdentity(files.map((file) => [file, readJournal(file, z.unknown()).identity]));
    const options = {
      store: flags.text("store") ?? STORE,
      json: flags.on("json"),
      formats: readFormats(flags),
      former: flags.text("former"),
    };
    return kind === "ladder" ? mergeLadder(files, options) : mergeHunt(files, options);
  },
};
