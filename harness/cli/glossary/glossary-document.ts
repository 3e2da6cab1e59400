import { type GlossaryEntry, glossary, KINDS, type WordKind } from "./entries.ts";
import { capital } from "../../core/words/capital.ts";

/** Kinds that have documents of their own. */
const ELSEWHERE: readonly WordKind[] = ["locks", "scenarios"];

/** `docs/glossary.md`: what `lockstorm explain` says, as Markdown. */
export function glossaryDocument(): string {
  const entries = glossary();
  const kinds = (Object.keys(KINDS) as WordKind[]).filter((kind) => !ELSEWHERE.includes(kind));
  return [
    "# Glossary",
    "",
    "The words of reports: what happens to a lock under test, what must hold, why it broke. `npx lockstorm explain <word>`",
    "says the same in a terminal. Locks have [their own pages](locks/README.md), and so have [scenarios](catalogue.md).",
    "",
    ...kinds.flatMap((kind) => [
      `## ${capital(kind)}`,
      "",
      `${capital(KINDS[kind])}.`,
      "",
      ...entries.filter((entry) => entry.kind === kind).flatMap(section),
    ]),
    "In a clone, `npm run docs:glossary` generates this page.",
    "",
  ].join("\n");
}

function section({ word, meaning, details, see, command }: GlossaryEntry): readonly string[] {
  const also = see.length === 0 ? [] : [`See ${see.map((each) => `\`${each}\``).join(", ")}.`];
  return [
    `- **${word}**: ${[`${meaning}.`, ...details, ...also].join(" ")}`,
    ...(command === undefined ? [] : [`  Try \`npx ${command}\`.`]),
    "",
  ];
}
