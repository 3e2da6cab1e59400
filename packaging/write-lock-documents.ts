/**
 * `npm run docs:locks`: writes the pages of the locks into `docs/locks`, and counts with how many other seeds their
 * counterexamples fail. A counterexample that still shows its limit is
 * kept; otherwise the program searches for another. With names, it writes only the pages of these locks and the
 * ladder's.
 */
// First: libraries store functions of the platform when they are loaded.
import {
  canBeShown,
  type Document,
  ladderDocument,
  lockDocument,
  planDocument,
  planFileOf,
} from "./lock-pages/lock-documents.ts";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keptRecurrences, recurrenceOf, RECURRENCES } from "./lock-pages/kept-recurrences.ts";
import { locks } from "../lock-impl/registry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const names = process.argv.slice(2);

function write({ path, text }: Document): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

for (const lock of locks.filter(({ name }) => names.length === 0 || names.includes(name))) {
  console.log(lock.name);
  const planFile = join(root, planFileOf(lock));
  const former = existsSync(planFile) ? readFileSync(planFile, "utf8") : undefined;
  const plan = canBeShown(lock) ? await planDocument(lock, root) : undefined;
  if (plan !== undefined) write(plan);
  const { run } = await lockDocument(lock, root);
  if (run !== undefined) {
    const all = keptRecurrences(root);
    const recurrence = await recurrenceOf(lock, run, { kept: all[lock.name], isSamePlan: plan?.text === former });
    write({ path: RECURRENCES, text: `${JSON.stringify({ ...all, [lock.name]: recurrence }, undefined, 2)}\n` });
  }
  const { document } = await lockDocument(lock, root);
  write(document);
}
write(ladderDocument());
