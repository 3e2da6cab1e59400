import { type StatedAnswer, answerIn } from "./answer-words.ts";
import type { EdnValue } from "./edn-forms.ts";

/** What an operation that ended well with this value means: see `Answers`. `unsaid`: it did what it was asked for, as far as it says. `contradicts` is the line of an answer of which nobody knows what it means beside this one. */
type Meaning = "done" | "unsaid" | "refused" | { readonly contradicts: number; readonly earlier: string };

interface Said {
  readonly line: number;
  readonly word: string;
}

/** What ends of one kind of operation have said. */
interface Heard {
  /** The first acquire without a value that counts as a grant. */
  firstEmpty?: Said;
  /** The first word of which nobody knows the meaning. */
  firstWord?: Said;
  /** The first answer that certainly says that the lock did what it was asked for. */
  firstDone?: Said;
}

/**
 * What operations say that end as `:ok` with a value that they were not asked with. `false`, `:busy` and their like are refusals.
 * Where all acquires end with `nil`, as in Jepsen's own histories, they are grants. Where others end with an owner value, a
 * fencing token or `true`, those without one were refused. What came before is judged by then: if that was `nil` too, nobody
 * knows what it means. Of a word that is not known, nobody knows what it means once others end with another word.
 */
export class Answers {
  /** By process, the value with which its operation was asked. */
  readonly #asked = new Map<number, EdnValue>();
  readonly #heard = new Map<string, Heard>();
  /** By process, the line of an acquire that counts as refused, until the process is granted the lock. */
  readonly #refused = new Map<number, number>();
  readonly #holding = new Set<number>();

  ask(process: number, value: EdnValue): void {
    this.#asked.set(process, value);
  }

  /** The meaning of an end as `:ok`. */
  answer(process: number, f: string, value: EdnValue, line: number): Meaning {
    const answer = answerIn(value, this.#asked.get(process) ?? null);
    this.#asked.delete(process);
    const heard = this.#heard.get(f) ?? {};
    this.#heard.set(f, heard);
    const meaning = f === "acquire" ? grantIn(answer, heard, line) : resultIn(answer, heard, line);
    if (f === "acquire") this.#follow(process, meaning, answer, line);
    return meaning;
  }

  #follow(process: number, meaning: Meaning, { kind }: StatedAnswer, line: number): void {
    if (meaning === "refused" && kind === "empty" && !this.#holding.has(process)) this.#refused.set(process, line);
    if (meaning !== "done") return;
    this.#refused.delete(process);
    this.#holding.add(process);
  }

  /** A release was carried out. Returns the line of an acquire of its process that was taken for refused, if that was the last. */
  released(process: number): number | undefined {
    this.#holding.delete(process);
    return this.#refused.get(process);
  }
}

function grantIn(answer: StatedAnswer, heard: Heard, line: number): Meaning {
  const said = { line, word: answer.word };
  if (answer.kind === "denied") return "refused";
  if (answer.kind === "empty") {
    if (heard.firstDone !== undefined) return "refused";
    heard.firstEmpty ??= said;
    return "done";
  }
  if (answer.kind === "done" || answer.kind === "token") {
    const before = heard.firstEmpty ?? heard.firstWord;
    heard.firstDone ??= said;
    return before === undefined ? "done" : contradiction(before);
  }
  return wordIn(answer, heard, line);
}

/** The same of a release or an extension. Without a value it did what it was asked for. */
function resultIn(answer: StatedAnswer, heard: Heard, line: number): Meaning {
  const said = { line, word: answer.word };
  const isNothing = answer.kind === "empty" && /\d$/.test(answer.word);
  if (answer.kind === "denied" || answer.kind === "nothing-held" || isNothing) return "refused";
  if (answer.kind === "plain") {
    const meaning = wordIn(answer, heard, line);
    return meaning === "done" ? "unsaid" : meaning;
  }
  if (answer.kind === "done") {
    heard.firstDone ??= said;
    if (heard.firstWord !== undefined) return contradiction(heard.firstWord);
  }
  // A map with nothing but an owner value, or an empty one: a number would say how many keys were deleted.
  return answer.kind === "empty" || (answer.kind === "token" && answer.word === "") ? "unsaid" : "done";
}

/** A word of which nobody knows the meaning: what it means is known only if there is no other. */
function wordIn({ word }: StatedAnswer, heard: Heard, line: number): Meaning {
  if (word === "") return "done";
  const other = heard.firstDone ?? (heard.firstWord?.word === word ? undefined : heard.firstWord);
  heard.firstWord ??= { line, word };
  return other === undefined ? "done" : contradiction(other);
}

function contradiction({ line, word }: Said): Meaning {
  return { contradicts: line, earlier: word === "null" ? "nil" : word || "another" };
}
