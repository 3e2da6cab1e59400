import { expect, test } from "vitest";
import { eventScripts, unexplained, type EventScript } from "./event-script.ts";

const roles = {
  master: "10.0.0.1",
  nodes: ["10.0.0.1", "10.0.0.2", "10.0.0.3"],
  ids: new Map([
    ["sentinel-0", "aaa"],
    ["sentinel-1", "bbb"],
  ]),
  sentinels: new Map([
    ["sentinel-0", "10.0.1.1"],
    ["sentinel-1", "10.0.1.2"],
  ]),
};

test("a script names roles, counts repetitions, and leaves out what load decides", () => {
  const about = "@ lockstorm 10.0.0.1 6379";
  const event = (sentinel: string, channel: string, message: string) => ({ sentinel, channel, message });
  const scripts = eventScripts(
    [
      event("sentinel-0", "+sdown", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-0", "+sdown", `sentinel bbb 10.0.1.2 26379 ${about}`),
      event("sentinel-0", "-sdown", `sentinel bbb 10.0.1.2 26379 ${about}`),
      event("sentinel-1", "+sdown", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-0", "-sdown", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-1", "+odown", "master lockstorm 10.0.0.1 6379 #quorum 2/2"),
      event("sentinel-0", "+vote-for-leader", "bbb 1"),
      event("sentinel-1", "+elected-leader", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-1", "+selected-slave", `slave 10.0.0.3:6379 10.0.0.3 6379 ${about}`),
      event("sentinel-1", "+sdown", `slave 10.0.0.2:6379 10.0.0.2 6379 ${about}`),
      event("sentinel-1", "-sdown", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-1", "+sdown", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-1", "+slave-reconf-sent", `slave 10.0.0.2:6379 10.0.0.2 6379 ${about}`),
      event("sentinel-1", "+slave-reconf-sent", `slave 10.0.0.2:6379 10.0.0.2 6379 ${about}`),
      event("sentinel-0", "+config-update-from", `sentinel bbb 10.0.1.2 26379 ${about}`),
    ],
    roles,
  );
  expect(scripts.get("sentinel-0")).toEqual({
    role: "other",
    lines: ["+vote-for-leader L 1", "+config-update-from sentinel L L 26379 @ lockstorm M 6379"],
  });
  expect(scripts.get("sentinel-1")).toEqual({
    role: "leader",
    lines: [
      "+sdown master lockstorm M 6379",
      "+odown master lockstorm M 6379",
      "+elected-leader master lockstorm M 6379",
      "+selected-slave slave P P 6379 @ lockstorm M 6379",
      "+slave-reconf-sent slave R R 6379 @ lockstorm M 6379",
      "+slave-reconf-sent slave R R 6379 @ lockstorm M 6379 #2",
    ],
  });
});

test("what cannot be explained is new, missing, or in another order", () => {
  const script = (...lines: string[]): EventScript => ({ role: "leader", lines });
  const known = [script("a", "b", "c"), script("b", "a", "c", "d"), { role: "other", lines: ["x"] } as const];
  expect(unexplained(script("b", "a", "c"), known)).toEqual([]);
  expect(unexplained(script("a", "c", "b", "x"), known)).toEqual(["never: x", "c BEFORE b"]);
  expect(unexplained(script("a", "b"), known)).toEqual(["missing: c"]);
});
