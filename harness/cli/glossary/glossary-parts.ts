import type { GlossaryPart } from "../../../reports/html/glossary-page.ts";
import { glossary, KINDS, type WordKind } from "./entries.ts";
import { capital } from "../../core/words/capital.ts";

/** The glossary for its page: a part for each kind of word. Scenarios have a page of their own. */
export function glossaryParts(): readonly GlossaryPart[] {
  const entries = glossary();
  return (Object.keys(KINDS) as WordKind[])
    .filter((kind) => kind !== "scenarios")
    .map((kind) => ({
      title: capital(kind),
      about: `${capital(KINDS[kind])}.`,
      words: entries.filter((entry) => entry.kind === kind),
    }));
}
