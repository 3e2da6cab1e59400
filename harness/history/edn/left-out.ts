import { plainName } from "./answer-words.ts";
import type { FieldDoubt } from "./usual-fields.ts";

/** Of operations that were left out, no more are named. */
const MOST_NAMED = 5;

/** What an operation may do to a lock by its name, if it is none that is known. */
const MAY_TAKE = /\b(?:lock|acquire|obtain|grab|take|enter|hold|borrow|steal|claim)/;
const MAY_END =
  /(?:unlock|release|free|drop|expire|force|break|\bdel|remove|close|destroy|revoke|evict|clear|reset|flush|abort|cancel|leave|disconnect|exit|relinquish|give|return|surrender|yield|crash|restart)/;

/** Operations of clients that are none of a lock's known ones. Some of them may take or end holds all the same. */
export class LeftOut {
  readonly names: string[] = [];
  /** The first one that may concern the lock, and its line. */
  #doubtful: { readonly name: string; readonly line: number } | undefined;
  #hasOthers = false;

  add(name: string, line: number): void {
    if (this.names.length < MOST_NAMED && !this.names.includes(name)) this.names.push(name);
    const plain = plainName(name);
    if (MAY_TAKE.test(plain) || MAY_END.test(plain)) this.#doubtful ??= { name, line };
  }

  /** An operation of a lock was not left out. */
  understood(): void {
    this.#hasOthers = true;
  }

  /** What makes it unknown who held the lock: operations of locks, and one that may be of a lock too. Where all may be, none is judged. */
  get doubt(): FieldDoubt | undefined {
    if (!this.#hasOthers || this.#doubtful === undefined) return undefined;
    const { name, line } = this.#doubtful;
    return {
      problem: `:f :${name} of line ${line} is not known: does it take a lock, or end a hold?`,
      hint: "name it :acquire, :release or :extend, with the lock's :key; leave its lines out if it does neither",
    };
  }
}
