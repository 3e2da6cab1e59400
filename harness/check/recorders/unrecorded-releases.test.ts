import { expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

interface Recorded {
  readonly rounds?: number;
  readonly owner?: (client: number, round: number) => string;
  readonly backend?: string;
  /** Whether the last hold is recorded as given back. */
  readonly releases?: boolean;
  readonly inner?: boolean;
}

/** Two clients that are granted a key in turn, each for 5 ms; who recorded it left the releases out. */
function inTurn({
  rounds = 4,
  owner = (client, round) => `${client}-${round}`,
  backend,
  releases = false,
  inner = false,
}: Recorded = {}): Recording {
  const recording = new Recording({ clients: 2, ...(backend === undefined ? undefined : { backend }) });
  for (let round = 0; round < rounds; round++) {
    for (const client of [0, 1]) {
      const at = 20 * round + 10 * client;
      recording.seek(at, client, { ttlMs: 1000, inner: inner && round > 0 });
      recording.granted(at + 1, client, owner(client, round));
    }
  }
  const last = 20 * rounds;
  return releases ? recording.leave(last, 1, owner(1, rounds - 1)).left(last + 1, 1) : recording;
}

const verdictsOf = (recording: Recording) => checkHistory(recording.history, { foreign: true }).properties;
const WORDS = /no release is recorded, although clients took turns within their leases/;

it("accuses nobody by holds of which nobody recorded the end", () => {
  for (const recording of [inTurn(), inTurn({ owner: (client) => `${client}` }), inTurn({ rounds: 2 })]) {
    const properties = verdictsOf(recording);
    for (const property of ["mutual-exclusion", "lease-exclusion", "linearizability"] as const) {
      expect(properties[property]).toMatchObject({
        verdict: "unknown",
        reason: expect.stringMatching(WORDS) as string,
      });
    }
    for (const { verdict } of Object.values(properties)) expect(verdict).not.toBe("invalid");
  }
});

it("accuses where releases are recorded, where no client was granted the key again, and in histories of its own", () => {
  const accused = [
    inTurn({ releases: true }),
    inTurn({ rounds: 1 }),
    inTurn({ backend: "containers" }),
    // They say that they still held it.
    inTurn({ inner: true, owner: (client) => `${client}` }),
  ];
  for (const recording of accused) expect(verdictsOf(recording)["lease-exclusion"]?.verdict).toBe("invalid");
});

it("accuses by a grant that was over by its own words", () => {
  const late = inTurn().seek(200, 0, { ttlMs: 30 }).granted(260, 0, "late", { validForMs: -10 });
  const { "lease-exclusion": exclusion } = verdictsOf(late);
  expect(exclusion).toMatchObject({ verdict: "invalid", violations: [{ cause: "expired-grant" }] });
});

it("accuses a lock that grants a key while its leader prolongs its lease by acquiring again", () => {
  const leader = new Recording({ clients: 2 });
  for (let time = 0; time < 60; time += 10) leader.acquire(time, 0, "leader", { ttlMs: 1000 });
  expect(verdictsOf(leader.acquire(70, 1, "rival", { ttlMs: 1000 }))["lease-exclusion"]?.verdict).toBe("invalid");
});
