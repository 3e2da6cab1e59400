import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ListedCampaign, ListedRun, StoreListing } from "../../../reports/html/store-listing.ts";
import { journalFolder, readJournal } from "../../campaign/campaign-journal.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { systemReason } from "../../core/system-reason.ts";
import { summaryOf } from "../../run/recorded-runs.ts";

/** The page of a store, in its folder. */
export const INDEX = "index.html";

/** The first line of a history is short; no more of it is read. */
const MOST_OF_HEADER = 65_536;

const headerSchema = z.looseObject({ title: z.string().optional(), backend: z.string().optional() });

/**
 * What a store holds. A run that cannot be read is listed with the reason and hides no other.
 * @throws UserError when there is no such store
 */
export function readStore(store: string): StoreListing {
  const names = namesIn(join(store, "runs"));
  if (!existsSync(store)) {
    throw new UserError(`there is no store ${store}`, "run something first: npx lockstorm reproduce async-failover");
  }
  const runs: ListedRun[] = [];
  const unreadable: { readonly folder: string; readonly why: string }[] = [];
  // Their names begin with the time.
  for (const name of names.toSorted().toReversed()) {
    try {
      runs.push(listedRun(store, name));
    } catch (error) {
      unreadable.push({ folder: `runs/${name}`, why: messageOf(error) });
    }
  }
  return { store, runs, campaigns: campaignsOf(store), unreadable };
}

function listedRun(store: string, name: string): ListedRun {
  const path = join(store, "runs", name);
  const { violated: _, ...summary } = summaryOf(path);
  const header = headerOf(join(path, "history.jsonl"));
  return {
    ...summary,
    folder: `runs/${name}`,
    began: name.replace(/^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d).*$/, "$1 $2:$3:$4"),
    title: header.title ?? summary.lock,
    backend: header.backend ?? "unknown backend",
    hasReport: existsSync(join(path, "report.html")),
  };
}

/** The first line of a history, as far as it says something of the run. */
function headerOf(path: string): z.infer<typeof headerSchema> {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(MOST_OF_HEADER);
      const [line = ""] = bytes.toString("utf8", 0, readSync(file, bytes)).split("\n", 1);
      return headerSchema.parse(JSON.parse(line));
    } finally {
      closeSync(file);
    }
  } catch {
    // The plan still says what was run.
    return {};
  }
}

/** Campaigns by their journals, and pages that have none. */
function campaignsOf(store: string): readonly ListedCampaign[] {
  const pages = namesIn(store).filter((name) => name.endsWith(".html") && name !== INDEX);
  const journals = namesIn(journalFolder(store)).filter((name) => name.endsWith(".jsonl"));
  const campaigns = journals.map((file): ListedCampaign => {
    const name = file.replace(/\.jsonl$/, "");
    const page = pages.find((each) => each === `${name}.html`);
    return { name, about: aboutJournal(join(journalFolder(store), file)), page };
  });
  const others = pages.filter((page) => !campaigns.some((each) => each.page === page));
  return [...campaigns, ...others.map((page) => ({ name: page.replace(/\.html$/, ""), about: "a page", page }))];
}

function aboutJournal(file: string): string {
  try {
    const { identity, entries } = readJournal(file, z.json());
    const { kind, parameters, shard } = identity;
    const part = shard === undefined ? "" : `, shard ${shard.index} of ${shard.count}`;
    const { lock, seed } = parameters;
    const what = [...(typeof lock === "string" ? [lock] : []), ...(typeof seed === "number" ? [`seed ${seed}`] : [])];
    return `${[kind, ...what].join(", ")}${part}: ${entries.length} ${entries.length === 1 ? "piece" : "pieces"} of work done`;
  } catch (error) {
    return messageOf(error);
  }
}

/** The names in a folder; none when it is not there. @throws UserError when it cannot be read */
function namesIn(folder: string): readonly string[] {
  try {
    return existsSync(folder) ? readdirSync(folder).toSorted() : [];
  } catch (error) {
    throw new UserError(`${folder} cannot be read: ${systemReason(error)}`, "name a store", { cause: error });
  }
}
