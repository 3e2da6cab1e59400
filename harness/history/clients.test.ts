import { describe, expect, test } from "vitest";
import { actorOf, actorsOf } from "./clients.ts";

const ofTwo = { clients: 2, tasks: [3, 1] };

describe("who acts under a process", () => {
  test("is the task of its client, also after an unknown outcome", () => {
    expect([0, 2, 4, 6, 10].map((process) => actorOf(process, ofTwo))).toEqual([
      "client-0 (task 0)",
      "client-0 (task 1)",
      "client-0 (task 2)",
      "client-0 (task 0)",
      "client-0 (task 2)",
    ]);
  });

  test("is the client where it has one task, or where a history tells of none", () => {
    expect([1, 3].map((process) => actorOf(process, ofTwo))).toEqual(["client-1", "client-1"]);
    expect(actorOf(5, { clients: 2 })).toBe("client-1");
    expect(actorOf(5, {})).toBe("client-5");
  });

  test("are all tasks of a client that has several", () => {
    expect(actorsOf("client-0", ofTwo)).toEqual(["client-0 (task 0)", "client-0 (task 1)", "client-0 (task 2)"]);
    expect(["client-1", "node-0"].map((name) => actorsOf(name, ofTwo))).toEqual([["client-1"], ["node-0"]]);
    expect(actorsOf("client-1", {})).toEqual(["client-1"]);
  });
});
