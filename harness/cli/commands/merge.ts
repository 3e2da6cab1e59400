import { mergeResults } from "../../campaign/merge.ts";
import { UserError } from "../../core/errors.ts";
import { STORE } from "../../run/store.ts";
import type { Command } from "../command.ts";
import { printExploration } from "../print-exploration.ts";
import { printHunt } from "../print-hunt.ts";
import { printLadder } from "../print-ladder.ts";
import { readFormats, reportFlag } from "../report-files.ts";

/** `lockstorm merge`: the results of the shards of one campaign, as if it had not been divided. */
export const merge: Command = {
  name: "merge",
  summary: "merge the results of a campaign's shards",
  operands: "<results...>",
  flags: {
    store: { value: "folder", help: "where counterexamples and reports are stored", default: STORE },
    former: { value: "folder", help: "results to compare a table with (default: the former results in the store)" },
    ...reportFlag,
    json: { help: "print the result as hunt --json does" },
  },
  examples: [
    "lockstorm merge results-1 results-2 results-3 results-4",
    "lockstorm merge results-* --store merged --former last-week --report markdown,junit",
  ],
  exits: {
    valid: "as the campaign without shards would end: nothing required was broken",
    invalid: "a required property was broken",
    unknown: "too little was decided, or a shard is missing",
  },
  run: async ({ operands, flags }) => {
    if (operands.length === 0) throw new UserError("merge needs folders of results", "give the --store of each shard");
    const store = flags.text("store") ?? STORE;
    const output = { json: flags.on("json"), formats: readFormats(flags) };
    const merged = await mergeResults(operands, store);
    if ("exploration" in merged) return printExploration(merged.exploration, output.json);
    return "ladder" in merged
      ? printLadder(merged.ladder, { ...output, store, former: flags.text("former") })
      : printHunt(merged.hunt, output);
  },
};
