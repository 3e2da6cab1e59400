/** `npm run docs:libraries`: writes the page of the lock libraries, `docs/libraries.md`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { libraryDocument } from "./lock-pages/lock-documents.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { path, text } = libraryDocument(root);
writeFileSync(join(root, path), text);
