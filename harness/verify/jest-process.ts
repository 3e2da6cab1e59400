/**
 * The process that verifies a lock for a test of Jest in CommonJS (`jest-commonjs.cjs`). It takes one message, the test,
 * answers with `{}` or with what the test fails with, and ends when it is disconnected.
 */
import { LockBrokenError } from "./lock-broken-error.ts";
import { namedTest } from "./named-test.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** A test, as the helper was called. */
interface Asked {
  readonly name: string;
  readonly options: VerifyOptions;
  /** Absolute path of the test file. */
  readonly file: string;
}

const leftAlone = new AbortController();
process.once("disconnect", () => leftAlone.abort());
process.once("message", ({ name, options, file }: Asked) => {
  const { run } = namedTest(
    () => {},
    name,
    options,
    () => "",
  );
  void run({ file, signal: leftAlone.signal }).then(
    () => process.send?.({}),
    (thrown: unknown) => process.send?.({ failure: plain(thrown) }),
  );
});

function plain(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { name: "Error", message: String(thrown) };
  const { name, message } = thrown;
  if (!(thrown instanceof LockBrokenError)) return { name, message };
  const { verification, counterexample } = thrown;
  return { name, message, verification, counterexample };
}
