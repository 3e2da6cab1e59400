import { expect, test } from "vitest";
import { boundedLog } from "./bounded-log.ts";

test("passes on what a worker prints, up to the bound, and says once that it leaves out the rest", () => {
  const written: string[] = [];
  const log = boundedLog((text) => written.push(text), 10);
  for (const text of ["12345", "67890", "abc", "def"]) log(text);
  expect(written).toEqual([
    "12345",
    "67890",
    "\nlockstorm: the worker printed more than 10 characters; the rest is left out\n",
  ]);
});

test("cuts the text that crosses the bound", () => {
  const written: string[] = [];
  const log = boundedLog((text) => written.push(text), 4);
  log("123456");
  expect(written.join("")).toMatch(/^1234\nlockstorm: /);
});
