import { expect, it } from "vitest";
import { parseHistory } from "./history-reader.ts";

const reading = (fields: string) => () =>
  parseHistory(`{"format":"lockstorm-history","version":2,"clockUncertaintyMs":${fields}}\n`, "h.jsonl");

it("says by how much clocks differ, together with the number of clients", () => {
  expect(reading('5,"clients":2')().header).toMatchObject({ clockUncertaintyMs: 5 });
  expect(reading("0")().header).toMatchObject({ clockUncertaintyMs: 0 });
  expect(reading("5")).toThrow(
    "h.jsonl, line 1: bad header: clockUncertaintyMs: it needs `clients`, the number of clients",
  );
});

it("says of clocks that they differ by no more than an hour", () => {
  expect(reading('3600001,"clients":2')).toThrow(/bad header: clockUncertaintyMs/);
  expect(reading('-1,"clients":2')).toThrow(/bad header: clockUncertaintyMs/);
});

it("says how many tasks each client has, if not one", () => {
  const tasks = (fields: string) => () =>
    parseHistory(`{"format":"lockstorm-history","version":2,${fields}}\n`, "h.jsonl").header;
  expect(tasks('"clients":2,"tasks":[3,1]')()).toMatchObject({ tasks: [3, 1] });
  expect(tasks('"clients":3,"tasks":[3,1]')).toThrow("bad header: tasks: it needs one number for each of `clients`");
  expect(tasks('"tasks":[3,1]')).toThrow("bad header: tasks: it needs one number for each of `clients`");
});
