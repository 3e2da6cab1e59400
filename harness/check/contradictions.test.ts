/** No property accuses a sound lock, and no two properties contradict each other, over random histories of a lock server. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HistoryEvent } from "../history/history.ts";
import type { Property, Verdict } from "../core/verdict.ts";
import { checkHistory } from "./check.ts";
import { playServer, type RandomServer, serverMoves } from "./testing/random-server.ts";

/** More runs, with `LOCKSTORM_RANDOM_RUNS=200000`, take longer. */
const RUNS = Number(process.env["LOCKSTORM_RANDOM_RUNS"] ?? 2000);
const CLIENTS = 3;

/** Beyond this, the clock drift that linearizability allows explains no overlap of leases of at most 400 ms. */
const DRIFT_ALLOWANCE = 12 * 1_000_000;

const server = fc.record({
  clients: fc.constant(CLIENTS),
  fixedOwners: fc.boolean(),
  reentrant: fc.boolean(),
  validity: fc.boolean(),
});
const sound = { tokens: "own", plainDelete: false, losses: "none" } as const;

function violated(verdict: Verdict): readonly Property[] {
  return Object.entries(verdict.properties).flatMap(([property, found]) =>
    found.verdict === "invalid" ? [property as Property] : [],
  );
}

function judged(kind: RandomServer, moves: Parameters<typeof playServer>[0]): Verdict {
  return checkHistory(playServer(moves, kind));
}

describe("a sound lock", () => {
  it("is accused of nothing but that its clients outlive their leases", () => {
    fc.assert(
      fc.property(
        server,
        fc.constantFrom("none" as const, "own" as const),
        serverMoves(CLIENTS, 24),
        (kind, tokens, moves) => {
          const verdict = judged({ ...kind, ...sound, tokens }, moves);
          const wrong = violated(verdict).filter((property) => property !== "mutual-exclusion");
          expect(wrong.map((property) => [property, verdict.properties[property]?.violations[0]?.explanation])).toEqual(
            [],
          );
          const causes = verdict.properties["mutual-exclusion"]?.violations.map(({ cause }) => cause) ?? [];
          expect(causes.filter((cause) => cause !== "overrun" && cause !== "expired-grant")).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("is accused of nothing because of a late release of a fixed owner value, unless that ended a later hold", () => {
    const seen = { struck: 0 };
    fc.assert(
      fc.property(server, serverMoves(CLIENTS, 24), (kind, moves) => {
        const struck: number[] = [];
        const flawed = { ...kind, ...sound, fixedOwners: true, lateReleases: (at: number) => struck.push(at) };
        const verdict = judged(flawed, moves);
        seen.struck += struck.length > 0 ? 1 : 0;
        if (struck.length > 0) return;
        expect(violated(verdict).filter((property) => property !== "mutual-exclusion")).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    expect(seen.struck).toBeGreaterThan(RUNS / 1000);
  });

  it("is accused of no foreign release and no bad token after the server lost the key", () => {
    fc.assert(
      fc.property(
        server,
        fc.constantFrom("told" as const, "secret" as const),
        serverMoves(CLIENTS, 24),
        (kind, losses, moves) => {
          const verdict = judged({ ...kind, ...sound, losses }, moves);
          const unlikely: readonly Property[] =
            losses === "told"
              ? ["fencing-tokens", "stale-writes", "owner-release", "deadlock-freedom"]
              : ["deadlock-freedom"];
          const wrong = violated(verdict).filter((property) => unlikely.includes(property));
          expect(wrong.map((property) => [property, verdict.properties[property]?.violations[0]?.explanation])).toEqual(
            [],
          );
        },
      ),
      { numRuns: RUNS },
    );
  });
});

it("no two properties contradict each other", () => {
  const seen = { leases: 0, releases: 0, tokens: 0 };
  const broken = fc.record({
    tokens: fc.constantFrom("none" as const, "own" as const, "second" as const),
    losses: fc.constantFrom("none" as const, "told" as const, "secret" as const),
    plainDelete: fc.boolean(),
  });
  fc.assert(
    fc.property(server, broken, serverMoves(CLIENTS, 24), (kind, flaws, moves) => {
      const history = playServer(moves, { ...kind, ...flaws });
      const { properties } = checkHistory(history);
      // For linearizability such an end of one hold may be the end of a later one with the same owner value.
      const lateEnd = ({ type, f }: HistoryEvent): boolean => type === "lost" || (type === "info" && f === "release");
      const mayEndLater = kind.fixedOwners && history.events.some(lateEnd);
      const whole = properties.linearizability;
      const twice = properties["lease-exclusion"]?.violations.some(
        ({ overlap }) => overlap !== undefined && overlap.to - overlap.from > DRIFT_ALLOWANCE,
      );
      if (twice === true && !mayEndLater) expect(whole?.verdict).not.toBe("valid");
      const tokens = whole?.violations.some(({ cause }) => cause === "token-rollback" || cause === "token-overtaken");
      if (tokens === true) expect(properties["fencing-tokens"]?.verdict).toBe("invalid");
      seen.tokens += tokens === true ? 1 : 0;
      if (properties["owner-release"]?.verdict === "invalid" && !mayEndLater) expect(whole?.verdict).not.toBe("valid");
      seen.leases += twice === true ? 1 : 0;
      seen.releases += properties["owner-release"]?.verdict === "invalid" ? 1 : 0;
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(seen.leases, seen.releases, seen.tokens)).toBeGreaterThan(RUNS / 1000);
});
