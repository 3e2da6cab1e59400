import { describe, expect, test } from "vitest";
import { DisposalStack, DisposalSuppressedError } from "./resource-management-polyfill.ts";

type Stack = Pick<AsyncDisposableStack, "use" | "adopt" | "defer" | "move" | "disposeAsync" | "disposed">;

/** What happens to a stack of one kind or the other, in words. */
async function happens(
  newStack: () => Stack,
  act: (stack: Stack, log: string[]) => unknown,
): Promise<readonly string[]> {
  const log: string[] = [];
  const stack = newStack();
  try {
    await act(stack, log);
    await stack.disposeAsync();
  } catch (error) {
    log.push(inWords(error));
  }
  return [...log, `disposed: ${stack.disposed}`];
}

function inWords(error: unknown): string {
  if (error instanceof SuppressedError || error instanceof DisposalSuppressedError) {
    return `${error.name}(${inWords(error.error)}, ${inWords(error.suppressed)})`;
  }
  return error instanceof TypeError || error instanceof ReferenceError ? error.name : String(error);
}

const ACTS: readonly (readonly [string, (stack: Stack, log: string[]) => unknown])[] = [
  ["nothing", () => {}],
  [
    "several, the last first",
    (stack, log) => {
      stack.defer(() => void log.push("a"));
      stack.use({ [Symbol.asyncDispose]: async () => void log.push("b") });
      stack.use({ [Symbol.dispose]: () => void log.push("c") });
      log.push(stack.adopt("d", (value) => void log.push(value)));
    },
  ],
  [
    "one after another",
    (stack, log) => {
      stack.defer(async () => {
        log.push("a begins");
        await Promise.resolve();
        log.push("a ends");
      });
      stack.defer(async () => {
        log.push("b begins");
        await Promise.resolve();
        log.push("b ends");
      });
    },
  ],
  ["nothing at all to dispose", (stack, log) => log.push(String([stack.use(null), stack.use(undefined)]))],
  ["what cannot be disposed", (stack) => stack.use({} as Disposable)],
  [
    "an error, and what comes after it all the same",
    (stack, log) => {
      stack.defer(() => void log.push("a"));
      stack.defer(() => Promise.reject(new Error("no")));
    },
  ],
  [
    "three errors",
    (stack) => {
      for (const word of ["first", "second", "third"]) {
        stack.defer(() => {
          throw new Error(word);
        });
      }
    },
  ],
  [
    "what was moved",
    async (stack, log) => {
      stack.defer(() => void log.push("a"));
      const moved = stack.move();
      log.push(`moved away: ${stack.disposed}, ${moved.disposed}`);
      await stack.disposeAsync();
      log.push("the old one is disposed");
      await moved.disposeAsync();
    },
  ],
  [
    "twice",
    async (stack, log) => {
      stack.defer(() => void log.push("a"));
      await stack.disposeAsync();
    },
  ],
  [
    "when it is too late",
    async (stack) => {
      await stack.disposeAsync();
      stack.defer(() => {});
    },
  ],
];

describe("what stands in for Node 24's own stack does what that does", () => {
  test.each(ACTS)("%s", async (_, act) => {
    const own = await happens(() => new DisposalStack(), act);
    expect(own).toEqual(await happens(() => new AsyncDisposableStack(), act));
  });
});

test("Node's own are left alone", () => {
  expect(AsyncDisposableStack).not.toBe(DisposalStack);
  expect(new SuppressedError(1, 2)).not.toBeInstanceOf(DisposalSuppressedError);
});
