import type { ListedCampaign, ListedRun, StoreChange, StoreData } from "../../store-listing.ts";
import { linkTo, StoreRuns } from "./store-runs.ts";

/** Decodes what the page carries. */
async function loadStore(base64: string): Promise<StoreData> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as StoreData;
}

/** Draws the runs of the page, and follows the store where a server tells what is new in it. */
export async function startStore(): Promise<void> {
  const data = document.querySelector("script.store-data")?.textContent?.trim();
  if (data === undefined) return;
  const { store, runs } = await loadStore(data);
  const table = new StoreRuns(store, runs);
  document.body.dataset["ready"] = "true";
  const { live } = document.body.dataset;
  if (live !== undefined) follow(live, table, runs);
}

/** @param address of the server-sent events */
function follow(address: string, table: StoreRuns, before: readonly ListedRun[]): void {
  const status = document.querySelector(".live");
  const tell = (words: string): void => {
    if (status !== null) status.textContent = words;
  };
  const known = new Map(before.map((run) => [run.folder, run]));
  const source = new EventSource(address);
  source.addEventListener("open", () => tell("Live: what is new appears by itself."));
  source.addEventListener("error", () => tell("Not connected: this is what was there before. Trying again."));
  source.addEventListener("change", ({ data }) => {
    const { runs, gone, campaigns } = JSON.parse(data as string) as StoreChange;
    for (const run of runs) known.set(run.folder, run);
    for (const folder of gone) known.delete(folder);
    if (runs.length + gone.length > 0) {
      table.replace([...known.values()].sort((one, other) => (one.folder < other.folder ? 1 : -1)));
    }
    showCampaigns(campaigns);
  });
  // A campaign has ended, or something was missed while nobody was connected. The address keeps the filter.
  source.addEventListener("reload", () => location.reload());
}

function showCampaigns(campaigns: readonly ListedCampaign[]): void {
  const list = document.querySelector("ul.campaigns");
  list?.replaceChildren(
    ...campaigns.map(({ name, about, page, done, wanted }) => {
      const item = document.createElement("li");
      item.append(page === undefined ? name : linkTo(page, name), `: ${about}`);
      if (done !== undefined && wanted !== undefined && wanted > 0) {
        const bar = Object.assign(document.createElement("progress"), { max: wanted, value: Math.min(done, wanted) });
        bar.setAttribute("aria-label", `how much of ${name} is done`);
        item.append(bar);
      }
      return item;
    }),
  );
}
