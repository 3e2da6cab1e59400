import { copyFileSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type GalleryItem, renderGallery } from "../../../reports/html/gallery-page.ts";
import { renderGlossary } from "../../../reports/html/glossary-page.ts";
import { renderApiPage } from "../../../reports/html/api-page.ts";
import { narrowPictureOf, renderHtml } from "../../../reports/html/html.ts";
import type { StoreListing } from "../../../reports/html/store-listing.ts";
import { renderStorePage } from "../../../reports/html/store-page.ts";
import { catalogue } from "../../../workloads/catalogue.ts";
import { planOf, requiredOf, type Scenario } from "../../../workloads/scenario.ts";
import { executorOf, proven } from "../../campaign/execute.ts";
import type { Progress } from "../../campaign/run-environment.ts";
import { UserError } from "../../core/errors.ts";
import { mendOfWriting, systemReason } from "../../core/system-reason.ts";
import { makeFolder, replaceFile } from "../../run/output-file.ts";
import { glossaryParts } from "../glossary/glossary-parts.ts";
import { INDEX } from "./read-store.ts";
import { inFigures } from "../../core/words/in-figures.ts";

const CATALOGUE = "catalogue.html";
const GLOSSARY = "glossary.html";
const API = "api.html";
/** In a package too: the build puts it there. */
const API_DOCUMENT = new URL("../../../docs/api.md", import.meta.url);
const LINKS = [
  { page: CATALOGUE, text: "Catalogue: schedules that break locks, as pictures" },
  { page: GLOSSARY, text: "Glossary: faults, properties, causes and the other words of reports" },
  { page: API, text: "API reference: what the package exports" },
];

interface SiteOptions {
  readonly progress: Progress;
  /** Ends it early: pages that are written stay. */
  readonly signal: AbortSignal;
}

/**
 * Writes a site that can be published as it is: the page of the store with the reports that it links to, the catalogue
 * as a gallery, each scenario simulated for it, the glossary, and the API reference.
 * @returns how many pages there are
 * @throws UserError when something cannot be written
 */
export async function writeStaticSite(
  listing: StoreListing,
  folder: string,
  { progress, signal }: SiteOptions,
): Promise<{ readonly pages: number }> {
  const { store, runs, campaigns } = listing;
  makeFolder(folder);
  const reports = runs.flatMap((run) => (run.hasReport ? [`${run.folder}/report.html`] : []));
  const copied = [...reports, ...campaigns.flatMap(({ page }) => page ?? [])];
  for (const [place, path] of copied.entries()) {
    if (place % 100 === 0) {
      progress.step(`copied ${inFigures(place)} of ${inFigures(copied.length)} reports`);
      await new Promise(setImmediate);
    }
    if (signal.aborted) return { pages: place };
    copy(join(store, path), join(folder, path));
  }
  replaceFile(join(folder, INDEX), renderStorePage({ ...listing, store: publicName(store) }, { links: LINKS }));
  replaceFile(join(folder, GLOSSARY), renderGlossary(glossaryParts()));
  replaceFile(join(folder, API), renderApiPage(readFileSync(API_DOCUMENT, "utf8")));
  const scenarios = await writeCatalogue(folder, { progress, signal });
  return { pages: copied.length + scenarios + 3 };
}

/** The store as others may read it: what is published names no folder of this machine above the working directory. */
function publicName(store: string): string {
  const fromHere = relative("", store);
  return fromHere === "" || fromHere.startsWith("..") ? basename(resolve(store)) : fromHere;
}

function copy(from: string, to: string): void {
  makeFolder(dirname(to));
  try {
    copyFileSync(from, to);
  } catch (error) {
    throw new UserError(`${from} cannot be copied to ${to}: ${systemReason(error)}`, mendOfWriting(error), {
      cause: error,
    });
  }
}

/** Simulates each scenario, and writes its report and the gallery. @returns how many pages it wrote */
async function writeCatalogue(folder: string, { progress, signal }: SiteOptions): Promise<number> {
  const execute = await executorOf("simulated");
  const items: GalleryItem[] = [];
  makeFolder(join(folder, "catalogue"));
  for (const scenario of catalogue) {
    if (signal.aborted) break;
    progress.step(`catalogue: ${items.length + 1} of ${catalogue.length}, ${scenario.slug}`);
    const run = await proven(
      await execute(planOf(scenario, { seed: 1 }), {
        signal,
        title: scenario.slug,
        required: requiredOf(scenario, "schedule"),
      }),
    );
    const { summary, says, source } = scenario;
    const replayCommand = `npx lockstorm reproduce ${scenario.slug}`;
    const record = { ...run.record, replayCommand, about: { summary, says, source } };
    const report = `catalogue/${scenario.slug}.html`;
    replaceFile(join(folder, report), renderHtml({ runs: [record] }));
    items.push({ ...itemOf(scenario), picture: narrowPictureOf(record), report });
  }
  replaceFile(join(folder, CATALOGUE), renderGallery(items));
  return items.length + 1;
}

function itemOf({ slug, title, summary, source, plan }: Scenario): Omit<GalleryItem, "picture" | "report"> {
  return { slug, title, summary, source, lock: plan.lock, topology: plan.topology.kind };
}
