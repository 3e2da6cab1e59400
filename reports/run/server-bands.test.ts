import { describe, expect, test } from "vitest";
import { Recording } from "../../harness/check/testing/recording.ts";
import type { KeyState, WireRecord } from "../../harness/core/messages/wire-record.ts";
import type { History } from "../../harness/history/history.ts";
import { jumpOfOneInFive, lostInFailover, pausedPastLease } from "../testdata/example-runs.ts";
import { serverBands } from "./server-bands.ts";
import { timelineOf } from "./timeline.ts";

const MS = 1e6;
const FIRST = "9f2c51d0aa3be4417c88";
const SECOND = "71be02f6c3d9a85e1104";

function wireOf(keys: readonly Omit<KeyState, "key" | "clockAheadNs">[]): WireRecord {
  const states = keys.map((state) => ({ key: "k1", clockAheadNs: 0, ...state }));
  return { format: "lockstorm-wire", version: 1, messages: [], keys: states, replication: [], votes: [], leftOut: 0 };
}

function drawn(wire: WireRecord, run: { readonly history: History } = jumpOfOneInFive()): readonly string[] {
  const { holds, faults, end } = timelineOf(run.history);
  return serverBands(wire, { holds, faults, end }).map(
    ({ server, client, from, to, twice }) =>
      `${server} client-${client} ${from / MS}-${to / MS}${twice ? " twice" : ""}`,
  );
}

test("a server thinks that a client holds while it has the owner's value, until that is replaced, gone, or expired", () => {
  const granted = { expiresInNs: 10_000 * MS };
  expect(
    drawn(
      wireOf([
        { server: "node-0", atNs: 60 * MS, value: FIRST, ...granted },
        { server: "node-1", atNs: 60 * MS, value: `lock:${FIRST} 1`, expiresInNs: 20 * MS },
        { server: "node-3", atNs: 60 * MS, value: "a counter", ...granted },
        { server: "node-0", atNs: 401 * MS },
      ]),
    ),
  ).toEqual(["node-0 client-0 60-401", "node-1 client-0 60-80"]);
});

describe("of a value without an owner", () => {
  const sent = { server: "node-0", command: "SET", keys: ["locks:k1"], count: 1, connection: "client-0>node-0#1" };
  const setBy = (client: number, sentNs: number, appliedNs: number) => ({
    ...sent,
    client,
    sentNs,
    appliedNs,
    operation: 1,
  });
  const inForce = { key: "locks:k1", clockAheadNs: 0, server: "node-0", expiresInNs: 10_000 * MS };
  const recorded: WireRecord = {
    ...wireOf([]),
    messages: [
      setBy(0, 58 * MS, 60 * MS),
      { ...setBy(0, 80 * MS, 81 * MS), command: "PEXPIRE" },
      setBy(1, 160 * MS, 170 * MS),
      // Refused, and yet it changed the key.
      { ...setBy(2, 171 * MS, 171.5 * MS), command: "EVAL" },
    ],
  };

  test("a server thinks that the client holds which was granted the lock by the command that set it", () => {
    const keys = [
      { ...inForce, atNs: 60 * MS, value: "2026-11-27" },
      { ...inForce, atNs: 81 * MS, value: "2026-11-27" },
      { ...inForce, atNs: 170 * MS, value: "2026-11-28" },
      { ...inForce, atNs: 401 * MS, value: undefined },
    ];
    expect(drawn({ ...recorded, keys })).toEqual(["node-0 client-0 60-170", "node-0 client-1 170-401 twice"]);
  });

  test("nobody knows what a server thinks where it has the owner's value under another key", () => {
    const queue = { ...inForce, atNs: 60 * MS, value: "zset" };
    const lock = { ...inForce, key: "k1", atNs: 170 * MS, value: FIRST };
    expect(drawn({ ...recorded, keys: [queue, lock] })).toEqual(["node-0 client-0 170-460"]);
    expect(drawn({ ...recorded, keys: [queue] })).toEqual(["node-0 client-0 60-460"]);
  });

  test("nobody knows what a server thinks without an expiry, and where the acquire was refused", () => {
    const { expiresInNs: _, ...forEver } = inForce;
    const keys = [
      { ...forEver, atNs: 60 * MS, value: "7" },
      { ...inForce, atNs: 171.5 * MS, value: "waiting" },
    ];
    expect(drawn({ ...recorded, keys })).toEqual([]);
  });
});

test("a server that gives a second owner the key within the first one's lease voted twice", () => {
  const votes = [
    { server: "node-2", atNs: 60 * MS, value: FIRST },
    { server: "node-2", atNs: 170 * MS, value: SECOND },
  ];
  expect(drawn(wireOf(votes))).toEqual(["node-2 client-0 60-170", "node-2 client-1 170-460 twice"]);
  const after = [
    { server: "node-2", atNs: 60 * MS, value: FIRST },
    { server: "node-2", atNs: 410 * MS, value: SECOND },
  ];
  expect(drawn(wireOf(after)).at(-1)).toBe("node-2 client-1 410-460");
});

test("a server whose vote was over by its own clock did not vote twice, though the lease was prolonged elsewhere", () => {
  const vote = (expiresInNs: number): readonly string[] =>
    drawn(
      wireOf([
        { server: "node-2", atNs: 60 * MS, value: FIRST, expiresInNs },
        { server: "node-2", atNs: 170 * MS, value: SECOND },
      ]),
    );
  expect(vote(100 * MS)).toEqual(["node-2 client-0 60-160", "node-2 client-1 170-460"]);
  expect(vote(120 * MS)).toEqual(["node-2 client-0 60-170", "node-2 client-1 170-460 twice"]);
  const prolonged = [
    { server: "node-2", atNs: 60 * MS, value: FIRST, expiresInNs: 100 * MS },
    { server: "node-2", atNs: 90 * MS, value: FIRST, expiresInNs: 100 * MS },
    { server: "node-2", atNs: 170 * MS, value: SECOND },
  ];
  expect(drawn(wireOf(prolonged)).at(-1)).toBe("node-2 client-1 170-460 twice");
});

test("a server that gives the key on after the first owner's lease did not vote twice, though that owner still holds", () => {
  const held = timelineOf(pausedPastLease().history).holds;
  const [first, second] = held;
  if (first === undefined || second === undefined) throw new Error("the example has two holds");
  const passedOn = Math.max(first.leaseUntil, second.invokedAt);
  expect(first.to).toBeGreaterThan(passedOn);
  const states = [
    { server: "node-0", atNs: first.from - MS, value: first.owner },
    { server: "node-0", atNs: passedOn, value: second.owner },
  ];
  expect(drawn(wireOf(states), pausedPastLease()).filter((band) => band.endsWith("twice"))).toEqual([]);
});

test("of owners with one value, a server thinks that the one holds a key which was granted the lock of that name", () => {
  const { history } = new Recording({ clients: 3 })
    .on("k1")
    .acquire(10, 0, "at 10 ms")
    .on("k12")
    .acquire(11, 1, "at 10 ms")
    .release(100, 1, "at 10 ms")
    .acquire(110, 2, "at 110 ms")
    .on("k1")
    .release(400, 0, "at 10 ms");
  const onNode = { server: "node-0", clockAheadNs: 0, expiresInNs: 10_000 * MS };
  const keys = [
    { ...onNode, key: "lock:k1", atNs: 9.5 * MS, value: "at 10 ms" },
    { ...onNode, key: "lock:k12", atNs: 10.5 * MS, value: "at 10 ms" },
    { ...onNode, key: "lock:k12", atNs: 100.5 * MS, value: undefined },
    { ...onNode, key: "lock:k12", atNs: 109.5 * MS, value: "at 110 ms" },
  ];
  const on = (key: string): readonly string[] =>
    drawn({ ...wireOf([]), keys: keys.filter((state) => state.key === key) }, { history });
  expect(on("lock:k1").map((band) => band.split(" ")[1])).toEqual(["client-0"]);
  expect(on("lock:k12").map((band) => band.split(" ").toSpliced(2, 1).join(" "))).toEqual([
    "node-0 client-1",
    "node-0 client-2",
  ]);
});

test("a server that is killed thinks nothing any more", () => {
  const { holds, faults, end } = timelineOf(lostInFailover().history);
  const [band] = serverBands(wireOf([{ server: "node-0", atNs: 121 * MS, value: FIRST }]), { holds, faults, end });
  expect(band?.to).toBe(180.9 * MS);
});

describe("a second grant", () => {
  const inForce = [
    { server: "node-0", atNs: 60 * MS, value: FIRST },
    { server: "node-1", atNs: 61 * MS, value: FIRST },
    { server: "node-0", atNs: 170 * MS, value: SECOND },
    { server: "node-1", atNs: 171 * MS, value: SECOND },
  ];
  const timelineOn = (topology: string) => {
    const { history } = jumpOfOneInFive();
    return timelineOf({ ...history, header: { ...history.header, topology } }, wireOf(inForce));
  };
  const twice = (topology: string): readonly string[] =>
    timelineOn(topology)
      .bands.filter((band) => band.twice)
      .map(({ server }) => server);

  test("is a vote where the servers are independent, and each of them votes", () => {
    expect(timelineOn("redlock").givesTwice).toBe("votes twice");
    expect(twice("redlock")).toEqual(["node-0", "node-1"]);
  });

  test("is a grant of the master's, which its replicas only copy", () => {
    expect(timelineOn("sentinel").givesTwice).toBe("grants twice");
    expect(twice("sentinel")).toEqual(["node-0"]);
    expect(timelineOn("single").givesTwice).toBe("grants twice");
  });

  test.each([
    ["a semaphore has room for", { limit: 2 }, []],
    ["takes more permits than a semaphore has left", { limit: 2, permits: 2 }, ["node-0"]],
    ["reads beside a reader", { mode: "shared" }, []],
    ["writes beside a writer", { mode: "exclusive" }, ["node-0"]],
  ] as const)("is no second one where it %s", (_, sharing, expected) => {
    const { history } = new Recording({ topology: "single", clients: 2 })
      .acquire(60, 0, FIRST, sharing)
      .acquire(170, 1, SECOND, sharing);
    const keys = inForce.filter(({ server }) => server === "node-0");
    const { bands } = timelineOf(history, wireOf(keys));
    expect(bands.filter((band) => band.twice).map(({ server }) => server)).toEqual(expected);
    expect(bands.map(({ actor }) => actor)).toEqual(["client-0", "client-1"]);
  });

  test("is the one of the permit for which a semaphore had no room, not those before, nor what it keeps after", () => {
    const owners = [FIRST, SECOND, "3d4e5f60718293a4b5c6"] as const;
    const { history } = new Recording({ topology: "single", clients: 3 })
      .acquire(60, 0, owners[0], { limit: 2 })
      .acquire(70, 1, owners[1], { limit: 2 })
      .acquire(80, 2, owners[2], { limit: 2 })
      .release(90, 0, owners[0]);
    const kept = [owners.slice(0, 1), owners.slice(0, 2), owners, owners.slice(1)];
    const keys = kept.map((values, at) => ({ server: "node-0", atNs: (60 + 10 * at) * MS, value: values.join(" ") }));
    const { bands } = timelineOf(history, wireOf(keys));
    expect(bands.map(({ actor, twice }) => [actor, twice]).slice(0, 3)).toEqual([
      ["client-0", false],
      ["client-1", false],
      ["client-2", true],
    ]);
    expect(bands.filter(({ twice }) => twice)).toHaveLength(1);
  });
});
