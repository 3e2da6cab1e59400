import { faults } from "../../../faults/registry.ts";
import { locks, type LockEntry } from "../../../lock-impl/registry.ts";
import { meaningOfShared } from "../../../reports/run/share-words.ts";
import { CAUSE_MEANING } from "../../../reports/wording.ts";
import { catalogue } from "../../../workloads/catalogue.ts";
import type { Fault } from "../../core/fault.ts";
import { listed } from "../../core/listed.ts";
import { topologies } from "../../core/topologies/registry.ts";
import { CAUSES, lettersOf, meaningOf, PROMISABLE, PROPERTIES, type Property } from "../../core/verdict.ts";
import { CAUSE_WORDS } from "./cause-words.ts";
import { TERMS } from "./terms.ts";
import { traitWords } from "./trait-words.ts";
import { capital } from "../../core/words/capital.ts";

/** The kinds of words that can be explained, in the order of the glossary, with what a kind is. */
export const KINDS = {
  faults: "what happens to clients, servers and their network",
  properties: "what must be true of a history",
  causes: "why a property was violated",
  topologies: "the servers that a lock lives on",
  terms: "the other words of reports and documents",
  locks: "what can be tested by name",
  scenarios: "the catalogue of counterexamples",
} as const;

export type WordKind = keyof typeof KINDS;

/** A word and what it means. */
export interface GlossaryEntry {
  readonly kind: WordKind;
  readonly word: string;
  /** In a few words, without a capital or a full stop. */
  readonly meaning: string;
  /** More about it, in sentences. */
  readonly details: readonly string[];
  /** Words that belong to it. */
  readonly see: readonly string[];
  /** A command that shows it. */
  readonly command?: string | undefined;
}

/** Everything that can be explained, made from the registries. */
export function glossary(): readonly GlossaryEntry[] {
  return [
    ...faults.map(faultEntry),
    ...PROPERTIES.map(propertyEntry),
    ...CAUSES.map(causeEntry),
    ...topologies.map(topologyEntry),
    ...TERMS.map(({ word, meaning, see = [] }) => ({ kind: "terms" as const, word, meaning, details: [], see })),
    ...locks.map(lockEntry),
    ...catalogue.map(({ slug, title, summary, source }): GlossaryEntry => ({
      kind: "scenarios",
      word: slug,
      meaning: title,
      details: [summary, `Source: ${source.name}, ${source.link}`],
      see: [],
      command: `lockstorm reproduce ${slug}`,
    })),
  ];
}

function faultEntry({ kind, summary, traits, onlyInSimulation }: Fault): GlossaryEntry {
  const shown = catalogue.filter(({ plan }) => plan.faults.some((fault) => fault.kind === kind));
  return {
    kind: "faults",
    word: kind,
    meaning: summary,
    details: [
      `${capital(traitWords(traits).join("; "))}.`,
      ...(onlyInSimulation === true ? ["Only the simulation can inject it."] : []),
      ...(shown.length === 0 ? [] : [`In the catalogue: ${listed(shown.map(({ slug }) => slug))}.`]),
    ],
    see: [],
    command: shown[0] && `lockstorm reproduce ${shown[0].slug}`,
  };
}

function propertyEntry(property: Property): GlossaryEntry {
  const promised = PROMISABLE.includes(property)
    ? "A lock can promise it: by default a lock of your own must keep it."
    : "No lock can promise it to a client that outlives its lease: it is required only on request.";
  const causes = CAUSES.filter((cause) =>
    catalogue.some(({ expected }) => [expected[property] ?? []].flat().includes(cause)),
  );
  return {
    kind: "properties",
    word: property,
    meaning: meaningOf(property),
    details: [meaningOfShared(property) ?? [], `In tables: ${lettersOf(property)}. ${promised}`].flat(),
    see: causes,
  };
}

function causeEntry(cause: (typeof CAUSES)[number]): GlossaryEntry {
  const shown = catalogue.filter(({ expected }) => Object.values(expected).flat().includes(cause));
  return {
    kind: "causes",
    word: cause,
    meaning: CAUSE_MEANING[cause],
    details: [
      CAUSE_WORDS[cause],
      ...(shown.length === 0 ? [] : [`In the catalogue: ${listed(shown.map(({ slug }) => slug))}.`]),
    ],
    see: [],
    command: shown[0] && `lockstorm reproduce ${shown[0].slug}`,
  };
}

function topologyEntry({ kind, summary, backends }: (typeof topologies)[number]): GlossaryEntry {
  return {
    kind: "topologies",
    word: kind,
    meaning: summary,
    details: [`${backends.includes("simulated") ? "Simulated, and on containers" : "On containers only"}.`],
    see: [],
  };
}

function lockEntry({ name, title, topologies: places, flawed, flaw, lesson, npmPackage }: LockEntry): GlossaryEntry {
  return {
    kind: "locks",
    word: name,
    meaning: title,
    details: [
      `It runs on ${listed(places)}.`,
      ...(flawed && flaw !== undefined ? [`Its deliberate flaw: ${flaw}.`] : []),
      `${capital(lesson.how.replace(/\.$/, ""))}.`,
      ...(npmPackage === undefined ? [] : [`It needs a package: npm install ${npmPackage}`]),
    ],
    see: lesson.fixedBy === undefined ? [] : [lesson.fixedBy],
    command: `lockstorm hunt --lock ${name}`,
  };
}
