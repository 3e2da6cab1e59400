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

const about = "@ lockstorm 10.0.0.1 6379";
const event = (sentinel: string, channel: string, message: string) => ({ sentinel, channel, message });

test("a script names roles, counts repetitions, and leaves out what load decides", () => {
  const scripts = eventScripts(
    [
      event("sentinel-0", "+sdown", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-0", "-sdown", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-1", "+sdown", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-1", "+odown", "master lockstorm 10.0.0.1 6379 #quorum 2/2"),
      event("sentinel-0", "+vote-for-leader", "bbb 1"),
      event("sentinel-1", "+elected-leader", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-1", "+selected-slave", `slave 10.0.0.3:6379 10.0.0.3 6379 ${about}`),
      event("sentinel-1", "-odown", "master lockstorm 10.0.0.1 6379"),
      event("sentinel-1", "+odown", "master lockstorm 10.0.0.1 6379 #quorum 3/2"),
      event("sentinel-1", "+slave-reconf-sent", `slave 10.0.0.2:6379 10.0.0.2 6379 ${about}`),
      event("sentinel-1", "+slave-reconf-sent", `slave 10.0.0.2:6379 10.0.0.2 6379 ${about}`),
      event("sentinel-0", "+config-update-from", `sentinel bbb 10.0.1.2 26379 ${about}`),
    ],
    roles,
    { stopsMaster: true, tilts: 0 },
  );
  expect(scripts.get("sentinel-0")).toEqual({
    role: "other",
    isWhole: true,
    lines: ["+vote-for-leader L 1", "+config-update-from sentinel L L 26379 @ lockstorm M 6379"],
  });
  expect(scripts.get("sentinel-1")).toEqual({
    role: "leader",
    isWhole: true,
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

test.each([
  ["another Sentinel seems down", event("sentinel-1", "+sdown", `sentinel aaa 10.0.1.1 26379 ${about}`), true],
  ["a replica seems down", event("sentinel-1", "+sdown", `slave 10.0.0.2:6379 10.0.0.2 6379 ${about}`), true],
  ["the new master seems down", event("sentinel-1", "+sdown", "master lockstorm 10.0.0.3 6379"), true],
  ["the first master seems down, and is not", event("sentinel-1", "+sdown", "master lockstorm 10.0.0.1 6379"), false],
  ["a Sentinel tilts once more", event("sentinel-0", "+tilt", "#tilt mode entered"), true],
])("all scripts end where %s: what follows depends on the load", (_, stall, stopsMaster) => {
  const scripts = eventScripts(
    [
      event("sentinel-0", "+tilt", "#tilt mode entered"),
      event("sentinel-1", "+new-epoch", "1"),
      stall,
      event("sentinel-0", "+vote-for-leader", "bbb 1"),
    ],
    roles,
    { stopsMaster, tilts: 1 },
  );
  expect([...scripts.values()]).toEqual([
    { role: "other", lines: ["+tilt #tilt mode entered"], isWhole: false },
    { role: "other", lines: ["+new-epoch 1"], isWhole: false },
  ]);
});

const script = (...lines: string[]): EventScript => ({ role: "leader", lines, isWhole: true });

test("what cannot be explained is new, missing, or in another order", () => {
  const other: EventScript = { role: "other", lines: ["x"], isWhole: true };
  const known = [script("a", "b", "c"), script("b", "a", "c", "d"), other];
  expect(unexplained(script("b", "a", "c"), known)).toEqual([]);
  expect(unexplained(script("a", "c", "b", "x"), known)).toEqual(["never: x", "c BEFORE b"]);
  expect(unexplained(script("a", "b"), known)).toEqual(["missing: c"]);
  expect(unexplained({ ...script("a", "b"), isWhole: false }, known)).toEqual([]);
});

test("an event is missing where another one never comes without it", () => {
  const known = [script("a", "b", "c"), script("a", "b", "c"), script("a", "d")];
  expect(unexplained(script("a", "d"), known)).toEqual([]);
  expect(unexplained(script("a", "b"), known)).toEqual(["missing: c"]);
});

test("nothing is missing after an event that is rare: what came with it may be chance", () => {
  const often = Array.from({ length: 20 }, () => script("a"));
  expect(unexplained(script("a", "rare"), [...often, script("a", "rare", "b")])).toEqual([]);
});
