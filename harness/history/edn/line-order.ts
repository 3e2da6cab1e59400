import { textOf } from "./answer-words.ts";
import type { EdnMap, EdnValue } from "./edn-forms.ts";
import type { FieldDoubt } from "./usual-fields.ts";

/**
 * Whether the lines are in the order in which things happened. One program that writes as things happen reads the clock a
 * little before it writes: a time may be smaller than that of an earlier line, but never smaller than that of a line which was
 * written before its own process's last one. Where that happens, the recordings of several clients follow one another, or
 * their clocks differ, and nobody knows the order.
 */
export class LineOrder {
  /** The last `:index`. Those of a part of a history have gaps. */
  #lastIndex = -Infinity;
  #latest = -Infinity;
  /** By process, the latest time of all lines up to its last one. */
  readonly #latestByThen = new Map<unknown, number>();

  /** What is wrong with the place of this operation. */
  next({ index, time, process = null }: EdnMap): FieldDoubt | undefined {
    if (index !== undefined && index !== null && !Number.isInteger(index)) return noInteger(index);
    if (typeof index === "number") {
      if (index <= this.#lastIndex) return byIndex(index, this.#lastIndex);
      this.#lastIndex = index;
      return undefined;
    }
    if (typeof time !== "number" || process === "nemesis") return undefined;
    const since = this.#latestByThen.get(process) ?? -Infinity;
    this.#latest = Math.max(this.#latest, time);
    this.#latestByThen.set(process, this.#latest);
    return time < since ? byTime(time, since) : undefined;
  }
}

function byIndex(index: number, last: number): FieldDoubt {
  return {
    problem: `:index ${index} after ${last}`,
    hint: "restore the order of the lines, and check histories one by one",
  };
}

function noInteger(index: EdnValue): FieldDoubt {
  return {
    problem: `:index ${typeof index === "number" ? String(index) : textOf(index)}: no integer`,
    hint: "number the operations from 0 in the order in which they happened, or leave :index out",
  };
}

function byTime(time: number, since: number): FieldDoubt {
  return {
    problem: `:time ${time} after ${since}, in a line before the last one of its process: which came first?`,
    hint: "sort the lines by :time if one clock gave all times, or leave :time out if the order of the lines is right",
  };
}
