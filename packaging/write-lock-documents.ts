/**
 * `npm run docs:locks`: writes the pages of the locks into `docs/locks`, and counts with how many other seeds their
 * counterexamples fail. A counterexample that still shows its limit, and lasts, is
 * kept; otherwise the program searches for another. With names, it writes only the pages of these locks and the
 * ladder's. `--real` runs the counterexamples on real servers as well (needs an engine), and searches for another where
 * they do not confirm it.
 */
// First: libraries store functions of the platform when they are loaded.
import { canBeShown, type Document, ladderDocument, lockDocument, planDocument } from "./lock-pages/lock-documents.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keptRecurrences, recurrenceOf, RECURRENCES } from "./lock-pages/kept-recurrences.ts";
import { type CountOnRealServers, withRealServers } from "./lock-pages/real-servers.ts";
import { locks } from "../lock-impl/registry.ts";
import type { LockEntry } from "../lock-impl/lock-entry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

function write({ path, text }: Document): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Writes the plan of a lock's counterexample, and how often its violation comes again. */
async function writePlan(lock: LockEntry, count: CountOnRealServers | undefined): Promise<void> {
  const plan = await planDocument(lock, root, count);
  write(plan);
  const { run } = await lockDocument(lock, root);
  if (run === undefined) return;
  const all = keptRecurrences(root);
  const recurrence = await recurrenceOf(lock, run, plan.real);
  write({ path: RECURRENCES, text: `${JSON.stringify({ ...all, [lock.name]: recurrence }, undefined, 2)}\n` });
}

async function writePages(chosen: readonly LockEntry[], count?: CountOnRealServers): Promise<void> {
  for (const lock of chosen) {
    console.log(lock.name);
    if (canBeShown(lock)) await writePlan(lock, count);
    const { document } = await lockDocument(lock, root);
    write(document);
  }
  write(ladderDocument());
}

const { values, positionals: names } = parseArgs({ options: { real: { type: "boolean" } }, allowPositionals: true });
const chosen = locks.filter(({ name }) => names.length === 0 || names.includes(name));
if (values.real === true) await withRealServers((count) => writePages(chosen, count));
else await writePages(chosen);
