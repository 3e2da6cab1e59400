import { expect, test } from "vitest";
import { newerCommands } from "./newer-commands.ts";

const found = (...details: readonly string[]) => newerCommands([{ details: [] }, { details }]);

test("a command that the servers do not know is named once, with the version that has it", () => {
  const [delex, unknown] = ["DELEX", "frob"].map(
    (name) => `acquire answered info (ResponseError: unknown command '${name}', with args beginning with: 'k1' )`,
  );
  expect(found(delex!, delex!, unknown!)).toEqual([
    "The servers, Redis 8.0, have no command DELEX: Redis has it since 8.4.",
    "The servers, Redis 8.0, have no command FROB.",
  ]);
});

test("an argument that they do not know is a syntax error to them", () => {
  expect(found("acquire of the free key k1 answered info (ERR syntax error)")).toEqual([
    expect.stringContaining("IFEQ of SET is in Redis since 8.4, and in Valkey since 8.1"),
  ]);
});

test("where the servers knew everything, nothing is said", () => {
  expect(found("acquire answered contended (held)", "a SyntaxError of Python: invalid syntax")).toEqual([]);
});
