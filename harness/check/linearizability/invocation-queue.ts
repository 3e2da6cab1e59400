import type { LockOperation } from "./lock-models.ts";

/** Operations in the order of their invocations, although they become known in any order (a binary heap). */
export class InvocationQueue {
  readonly #heap: LockOperation[] = [];

  add(operation: LockOperation): void {
    const heap = this.#heap;
    let place = heap.push(operation) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent]!.invoked <= operation.invoked) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = operation;
  }

  /** The operation that was invoked first. */
  get first(): LockOperation | undefined {
    return this.#heap[0];
  }

  /** Removes the operations invoked before event `index`, the earliest first. */
  *before(index: number): Iterable<LockOperation> {
    for (let first = this.first; first !== undefined && first.invoked < index; first = this.first) {
      this.removeFirst();
      yield first;
    }
  }

  /** Removes the operation that was invoked first. */
  removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const right = left + 1;
      if (left >= heap.length) break;
      const child = right < heap.length && heap[right]!.invoked < heap[left]!.invoked ? right : left;
      if (heap[child]!.invoked >= last.invoked) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
  }
}
