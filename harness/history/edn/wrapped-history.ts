import { UserError } from "../../core/errors.ts";
import type { EdnValue } from "./edn-forms.ts";
import { isEdnMap } from "./edn-operations.ts";

/** Operations that stand together in one map, `{:history [...]}`, as the results of a test are sometimes stored. */
export class WrappedHistory {
  #forms = 0;
  #isWrapped = false;

  /** The operations of a form. @throws UserError where some are in such a map and others are not */
  operationsOf(form: EdnValue, where: string): readonly EdnValue[] {
    this.#forms += 1;
    const isWrapper = isEdnMap(form) && "history" in form && !("type" in form);
    if (!isWrapper && !this.#isWrapped) return [form];
    const { history = null } = isWrapper ? form : {};
    if (this.#forms === 1 && Array.isArray(history)) {
      this.#isWrapped = true;
      return history as readonly EdnValue[];
    }
    throw new UserError(
      `${where}: ${this.#forms === 1 ? "a :history that is no vector" : "a map with a :history beside other forms"}`,
      "give one map whose :history is the vector of operations, or the operations alone",
    );
  }
}
