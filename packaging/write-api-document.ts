/** `npm run docs:api`: writes `docs/api.md` from the docstrings of what the package exports. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { apiDocument, packageEntries } from "./api/api-document.ts";

const root = new URL("..", import.meta.url);
writeFileSync(new URL("docs/api.md", root), apiDocument(packageEntries(fileURLToPath(root))));
