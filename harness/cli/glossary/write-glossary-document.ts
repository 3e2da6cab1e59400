/** `npm run docs:glossary`: writes `docs/glossary.md` from the registries. */
import { writeFileSync } from "node:fs";
import { glossaryDocument } from "./glossary-document.ts";

writeFileSync(new URL("../../../docs/glossary.md", import.meta.url), glossaryDocument());
