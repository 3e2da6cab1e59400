import type { EdnMap, EdnValue } from "./edn-forms.ts";

/** `true`, or something with a digit, and no map of fields: a word such as `:done` says no more than `nil`. */
const TOKEN = /^(?:true$|[^{]*\d)/;

/** What an acquire that ended well with this value means: see `NilAnswers`. */
type Meaning = "granted" | "refused" | { readonly contradicts: number };

/**
 * Acquires that end as `:ok` with `nil`. Where all do, as in Jepsen's own histories, they are grants. Where others end with a value that
 * they were not asked with, such as an owner value, a fencing token or `true`, those without one were refused. What came before is judged by then: if
 * that was `nil` too, nobody knows what it means.
 */
export class NilAnswers {
  /** By process, the value with which its acquire was asked. */
  readonly #asked = new Map<number, string>();
  /** The line of the first one without a value that counts as a grant. */
  #firstNil: number | undefined;
  #hasValues = false;
  /** By process, the line of an acquire that counts as refused, until the process is granted the lock. */
  readonly #refused = new Map<number, number>();
  readonly #holding = new Set<number>();

  ask(process: number, form: EdnMap): void {
    this.#asked.set(process, textOf(form));
  }

  /** An acquire that nothing else says was refused; `contradicts` is the line of one that may have been. */
  answer(process: number, form: EdnMap, line: number): Meaning {
    const text = textOf(form);
    const isNil = text === "null";
    const isAsAsked = text === this.#asked.get(process);
    this.#asked.delete(process);
    if (isNil && this.#hasValues) {
      if (!this.#holding.has(process)) this.#refused.set(process, line);
      return "refused";
    }
    if (isNil) this.#firstNil ??= line;
    else if (!isAsAsked && TOKEN.test(text)) {
      if (this.#firstNil !== undefined) return { contradicts: this.#firstNil };
      this.#hasValues = true;
    }
    this.#refused.delete(process);
    this.#holding.add(process);
    return "granted";
  }

  /** A release was carried out. Returns the line of an acquire of its process that was taken for refused, if that was the last. */
  released(process: number): number | undefined {
    this.#holding.delete(process);
    return this.#refused.get(process);
  }
}

/** The value of an operation, without the key of a pair. */
function textOf({ value = null }: EdnMap): string {
  const own: EdnValue = Array.isArray(value) && value.length === 2 ? (value[1] as EdnValue) : value;
  return JSON.stringify(own, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part));
}
