/**
 * `npm run docs:locks`: writes the pages of the locks into `docs/locks`. A counterexample that still shows its limit is
 * kept; otherwise the program searches for another. With names, it writes only the pages of these locks and the
 * ladder's.
 */
// First: libraries store functions of the platform when they are loaded.
import { canBeShown, type Document, ladderDocument, lockDocument, planDocument } from "./lock-pages/lock-documents.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { locks } from "../lock-impl/registry.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const names = process.argv.slice(2);

function write({ path, text }: Document): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

for (const lock of locks.filter(({ name }) => names.length === 0 || names.includes(name))) {
  console.log(lock.name);
  if (canBeShown(lock)) write(await planDocument(lock, root));
  const { document } = await lockDocument(lock, root);
  write(document);
}
write(ladderDocument());
