import { expect, test } from "vitest";
import { type Deadlines, lengthIntoNextHold, lengthsAround } from "./base.ts";

/** A client that has had no lease yet asks for one of a second, and waits this long for a reply. */
function asking(patienceMs?: number): Deadlines {
  const requests = [{ client: "client-0", fromMs: 0, toMs: 50, ttlMs: 1000 }];
  return { leaseMs: 1000, leases: [], holds: [], requests, patienceMs };
}

test("a message is also held so shortly that its client still waits for the reply", () => {
  expect(lengthsAround(asking(), "client-0", 0)).toEqual([1080, 150, 900, 1500, 2500]);
  expect(lengthsAround(asking(400), "client-0", 0)).toEqual([1080, 150, 480, 900, 1500, 2500]);
  expect(lengthsAround(asking(100), "client-0", 0)).toEqual([1080, 70, 180, 900, 1500, 2500]);
});

test("a reply is first held for longer than its client waits, and one that grants a lease for less", () => {
  expect(lengthsAround(asking(400), "client-0", 0, "reply").slice(0, 2)).toEqual([480, 1080]);
  expect(lengthsAround(asking(400), "client-0", 0, "grant").slice(0, 2)).toEqual([150, 480]);
});

test("a client that waits for nearly the whole lease asks again just below its end", () => {
  expect(lengthsAround(asking(850), "client-0", 0, "reply")).toEqual([900, 1080, 150, 1500, 2500]);
  expect(lengthsAround(asking(850), "client-0", 0, "grant")).toEqual([150, 900, 1080, 1500, 2500]);
  expect(lengthsAround(asking(920), "client-0", 0, "reply")).toEqual([1080, 150, 900, 1500, 2500]);
});

interface Held {
  readonly patienceMs?: number;
  /** When client 0 asks again, and for which key. */
  readonly fromMs?: number;
  readonly key?: string;
  /** For how long it holds then. */
  readonly holdMs?: number;
}

/** Client 0 gives back at 900 ms what it has a lease of until 1000 ms; client 1 asks for it from 1300 ms on. */
function heldTwice({ patienceMs, fromMs = 1400, key = "k1", holdMs = 600 }: Held): Deadlines {
  const toMs = fromMs + holdMs;
  return {
    leaseMs: 1000,
    leases: [{ client: "client-0", fromMs: 0, toMs: 1000 }],
    holds: [
      { client: "client-0", key: "k1", fromMs: 0, toMs: 900 },
      { client: "client-0", key, fromMs, toMs },
    ],
    requests: [{ client: "client-1", key: "k1", fromMs: 1300, toMs, ttlMs: 1000 }],
    patienceMs,
  };
}

const intoNext = (held: Held, endsHold = true) =>
  lengthIntoNextHold(heldTwice(held), { client: "client-0", atMs: 900, endsHold });

test("a message is held into the next hold of its key, for which another client waits", () => {
  expect(intoNext({})).toEqual({ forMs: 600, isWanted: true });
  expect(intoNext({ key: "k2" })).toBeUndefined();
});

test("a hold that is over before the other client tries again shows nothing", () => {
  expect(intoNext({ holdMs: 200 })).toEqual({ forMs: 600, isWanted: false });
});

test("the next hold begins when its client has given up waiting for the reply", () => {
  expect(intoNext({ patienceMs: 400 })).toEqual({ forMs: 600, isWanted: true });
  expect(intoNext({ patienceMs: 700 })).toEqual({ forMs: 800, isWanted: false });
});

test("what was not given back is not free before the end of the lease", () => {
  expect(intoNext({ fromMs: 950, holdMs: 800 })).toEqual({ forMs: 200, isWanted: false });
  expect(intoNext({ fromMs: 950, holdMs: 800 }, false)).toEqual({ forMs: 150, isWanted: true });
});
