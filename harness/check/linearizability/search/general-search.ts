import { inOnePiece } from "../../evidence/pieces.ts";
import type { LockModel, LockOperation } from "../lock-models.ts";
import { upTo } from "../open-operation.ts";
import type { SharingModel } from "../sharing/sharing-model.ts";
import { sharingSpecification } from "../sharing/sharing-specification.ts";
import { specificationOf } from "./specification.ts";
import { StepBudget } from "../step-budget.ts";
import { searching, searchLinearization, type SearchOutcome } from "./wgl.ts";

/** The configurations that one search is given. */
const SEARCH_STEPS = 100_000;

/** The general search among the operations of one key, where they are kept. */
export class GeneralSearch {
  readonly #model: LockModel;
  readonly #sharing: SharingModel | undefined;

  /** @param sharing if several owners may hold the key at a time */
  constructor(model: LockModel, sharing: SharingModel | undefined) {
    this.#model = model;
    this.#sharing = sharing;
  }

  /** In one piece. */
  search(operations: readonly LockOperation[], steps = SEARCH_STEPS): SearchOutcome {
    return inOnePiece(this.searching(operations, new StepBudget(Infinity), steps));
  }

  /** In pieces. */
  *searching(
    operations: readonly LockOperation[],
    budget: StepBudget,
    steps = SEARCH_STEPS,
  ): Generator<undefined, SearchOutcome> {
    if (this.#sharing === undefined) return yield* searching(operations, specificationOf(this.#model), steps, budget);
    let isComplete = true;
    const specification = sharingSpecification(this.#sharing, () => {
      isComplete = false;
    });
    const outcome = yield* searching(operations, specification, steps, budget);
    return outcome === "not-linearizable" && !isComplete ? "unknown" : outcome;
  }

  /** Whether these have an order only if their fencing tokens are ignored. False too where that is not known. */
  hasOrderOnlyWithoutTokens(operations: readonly LockOperation[]): boolean {
    if (!this.#model.fenced || this.#sharing !== undefined) return false;
    const outcome = (fenced: boolean): SearchOutcome =>
      searchLinearization(operations, { ...this.#model, fenced }, SEARCH_STEPS);
    // What makes an operation impossible may have been told only after it, and is then not among these.
    return outcome(false) === "linearizable" && outcome(true) === "not-linearizable";
  }

  /**
   * If the search finds no order: the first operation that none explains together with those before it. Undefined if no
   * operation has to be explained.
   */
  firstUnexplained(operations: readonly LockOperation[]): LockOperation | undefined {
    const required = operations
      .filter((operation) => operation.required)
      .toSorted((one, other) => one.completed - other.completed);
    let [low, high] = [0, required.length - 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const known = upTo(operations, required[middle]!);
      const isUnexplained = this.search(known) === "not-linearizable";
      [low, high] = isUnexplained ? [low, middle] : [middle + 1, high];
    }
    return required[high];
  }
}
