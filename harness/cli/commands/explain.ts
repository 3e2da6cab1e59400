import { TextStyle } from "../../../reports/text-style.ts";
import { hintFor } from "../../core/words/did-you-mean.ts";
import { UserError } from "../../core/errors.ts";
import { printableJson } from "../../core/printable.ts";
import { EXIT } from "../../core/verdict.ts";
import type { Command } from "../command.ts";
import { glossary, type GlossaryEntry, KINDS, type WordKind } from "../glossary/entries.ts";
import { textOptions } from "../output.ts";
import { print } from "../terminal.ts";

/** `lockstorm explain`: a fault, property, cause, topology, lock, scenario or term in plain words. */
export const explain: Command = {
  name: "explain",
  summary: "explain a fault, a property, a cause, a topology, a lock, a scenario or a term",
  operands: "[word]",
  operandChoices: Object.keys(KINDS),
  flags: { json: { help: "print the entries as JSON" } },
  examples: [
    "lockstorm explain",
    "lockstorm explain failover",
    "lockstorm explain fencing token",
    "lockstorm explain locks",
  ],
  exits: {
    valid: "explained",
  },
  run: async ({ operands, flags }) => {
    const found = lookUp(operands.join(" "));
    print(flags.on("json") ? printableJson(found) : inWords(found));
    return EXIT.valid;
  },
};

/** The entries of a word, of a kind, or all. @throws UserError when nothing is called so */
function lookUp(asked: string): readonly GlossaryEntry[] {
  const entries = glossary();
  if (asked === "") return entries;
  const word = asked.toLowerCase();
  const found = entries.filter((entry) => entry.word === word || entry.kind === word);
  if (found.length > 0) return found;
  const known = [...Object.keys(KINDS), ...entries.map((entry) => entry.word)];
  throw new UserError(
    `there is nothing called "${asked}" to explain`,
    hintFor(word, known, { elsewhere: "lockstorm explain lists what there is" }),
  );
}

function inWords(entries: readonly GlossaryEntry[]): string {
  const style = new TextStyle(textOptions());
  const [first] = entries;
  const isOneWord = entries.every(({ word }) => word === first?.word);
  return `${(isOneWord ? entries.map((entry) => inFull(entry, style)) : inLists(entries, style)).join("\n\n")}\n`;
}

/** One word with all that is known of it. */
function inFull({ kind, word, meaning, details, see, command }: GlossaryEntry, style: TextStyle): string {
  const more = [...details, ...(see.length === 0 ? [] : [`See ${see.join(", ")}.`])];
  return [
    ...style.paragraph(`${word} (${kind}): ${meaning}`).map((line, at) => {
      if (at > 0 || !line.startsWith(word)) return line;
      return style.line({ text: word, style: "bold" }, { text: line.slice(word.length) });
    }),
    ...more.flatMap((detail) => ["", ...style.paragraph(detail, 2)]),
    ...(command === undefined ? [] : ["", "Try", `  npx ${command}`]),
  ].join("\n");
}

/** Many words, each in short, under their kinds. */
function inLists(entries: readonly GlossaryEntry[], style: TextStyle): readonly string[] {
  const kinds = (Object.keys(KINDS) as WordKind[]).filter((kind) => entries.some((entry) => entry.kind === kind));
  return kinds.map((kind) => {
    const mine = entries.filter((entry) => entry.kind === kind);
    const column = Math.max(...mine.map(({ word }) => word.length)) + 4;
    return [
      style.line({ text: kind, style: "bold" }, { text: `: ${KINDS[kind]}` }),
      ...mine.flatMap(({ word, meaning }) => style.hanging({ text: `  ${word}` }, meaning, column)),
    ].join("\n");
  });
}
