/** Histories in EDN, as others write them, and what is judged of them, for tests. */
import { checkStream } from "../../../check/check-stream.ts";

export async function judge(...lines: readonly string[]): ReturnType<typeof checkStream> {
  return checkStream([lines.join("\n")], "history.edn", { foreign: true });
}

export async function verdictOf(...lines: readonly string[]): Promise<string> {
  return (await judge(...lines)).verdict.verdict;
}

/** An operation that ends well after three milliseconds, with fields beside its value. */
export const done = (f: string, process: number, ms: number, value = "nil", beside = ""): readonly string[] => [
  `{:type :invoke, :f :${f}, :process ${process}, :time ${ms * 1e6}, :value ${value}${beside}}`,
  `{:type :ok, :f :${f}, :process ${process}, :time ${(ms + 3) * 1e6}, :value ${value}${beside}}`,
];

/** Two processes that hold at the same time. */
export const together = (value: string, beside = ""): readonly string[] => [
  ...done("acquire", 0, 10, value, beside),
  ...done("acquire", 1, 20, value, beside),
  ...done("release", 0, 30),
  ...done("release", 1, 40),
];

/** The same, each with a value of its own; in the fields beside it `%` stands for its number. */
export const eachWith = (valueOf: (process: number) => string, beside = ""): readonly string[] => [
  ...done("acquire", 0, 10, valueOf(0), beside.replace("%", "0")),
  ...done("acquire", 1, 20, valueOf(1), beside.replace("%", "1")),
  ...done("release", 0, 30),
  ...done("release", 1, 40),
];
