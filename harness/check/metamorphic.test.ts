/** Changes of histories, or of what they are judged by, that must not change a verdict, or must not add an accusation, whatever lock made the history. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomStream } from "../core/random.ts";
import { PROPERTIES, type Property, type Verdict } from "../core/verdict.ts";
import type { History } from "../history/history.ts";
import { checkHistory } from "./check.ts";
import { allCheckers } from "./checkers.ts";
import { checkStream } from "./check-stream.ts";
import { EVIDENCE_LIMITS } from "./evidence/evidence-limits.ts";
import { changedBy, LAWS, mergedWith } from "./testing/metamorphic-laws.ts";
import { playServer, randomServers, serverFlaws, serverMoves } from "./testing/random-server.ts";

/** More histories for each law, with `LOCKSTORM_METAMORPHIC_RUNS=20000`, and others, with `LOCKSTORM_METAMORPHIC_SEED=2`. */
const RUNS = Number(process.env["LOCKSTORM_METAMORPHIC_RUNS"] ?? 120);
const DRAWS = { numRuns: RUNS, seed: Number(process.env["LOCKSTORM_METAMORPHIC_SEED"] ?? 1) };
const CLIENTS = 3;

const histories = fc
  .tuple(randomServers(CLIENTS), serverFlaws, serverMoves(CLIENTS, 20))
  .map(([kind, flaws, moves]) => playServer(moves, { ...kind, ...flaws }));

/** By property, whether it is violated and by what. */
function accusations({ properties }: Verdict, except: readonly Property[] = []): Readonly<Record<string, string>> {
  const judged = PROPERTIES.filter((property) => !except.includes(property));
  return Object.fromEntries(
    judged.flatMap((property) => {
      const { verdict, violations = [] } = properties[property] ?? {};
      return verdict === "invalid" ? [[property, violations.map(({ cause }) => cause).join()]] : [];
    }),
  );
}

describe("a verdict", () => {
  it.each(LAWS)("$relation: $name", { tags: "long" }, ({ relation, except, foreign, ...law }) => {
    const seen = { changed: 0, accused: 0 };
    fc.assert(
      fc.property(histories, fc.nat(), (history, seed) => {
        const changed = changedBy(law, history, randomStream(seed, "law"));
        if (changed === undefined) return;
        seen.changed += 1;
        const [before, after] = [history, changed].map((each) =>
          accusations(checkHistory(each, { foreign: foreign === true }), except),
        );
        if (relation === "same-causes") expect(after).toEqual(before);
        if (relation === "same") expect(Object.keys(after ?? {})).toEqual(Object.keys(before ?? {}));
        // Beside a history that no lock explains, the order of the fencing tokens is not judged.
        const known = { ...before, ...(before?.["linearizability"] === undefined ? {} : { "fencing-tokens": "" }) };
        expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(after ?? {})));
        seen.accused += Object.keys(before ?? {}).length > 0 ? 1 : 0;
      }),
      DRAWS,
    );
    expect(seen.changed).toBeGreaterThan(RUNS / 10);
    expect(seen.accused).toBeGreaterThan(0);
  });

  it("on two locks in one history is that on each", () => {
    fc.assert(
      fc.property(histories, histories, (one, other) => {
        // A fault of the servers would excuse both locks.
        fc.pre([...one.events, ...other.events].every(({ type, f }) => type !== "fault" || f === "kill-client"));
        const except: readonly Property[] = ["deadlock-freedom"];
        const [first, second] = [one, other].map((each) => violationsOf(each, except));
        const whole = violationsOf(mergedWith(one, other), except);
        expect(whole).toEqual([...(first ?? []), ...(second ?? [])].toSorted());
      }),
      DRAWS,
    );
  });

  it("accuses of no more where there is less room for evidence", { tags: "long" }, () => {
    const few = fc.constantFrom(0, 1, 2, 1000);
    const limits = fc.record({
      faults: few,
      openHolds: few,
      openOperations: few,
      undecidedLeases: few,
      keys: fc.constantFrom(1, 2),
      concludedKeys: few,
    });
    const seen = { accused: 0, less: 0 };
    fc.assert(
      fc.property(histories, histories, limits, (one, other, room) => {
        const history = mergedWith(one, other);
        const [whole, part] = [EVIDENCE_LIMITS, room].map((each) =>
          Object.keys(accusations(checkHistory(history, { limits: each }))),
        );
        expect(whole).toEqual(expect.arrayContaining(part ?? []));
        seen.accused += whole?.length === 0 ? 0 : 1;
        seen.less += whole?.length === part?.length ? 0 : 1;
      }),
      DRAWS,
    );
    expect(seen.accused).toBeGreaterThan(RUNS / 10);
    expect(seen.less).toBeGreaterThan(0);
  });

  it.each([
    ["owner-aware-mutex", "mutex"],
    ["owner-aware-mutex", "reentrant-mutex"],
    ["fenced-mutex", "owner-aware-mutex"],
    ["fenced-mutex", "reentrant-fenced-mutex"],
    ["reentrant-fenced-mutex", "reentrant-mutex"],
  ] as const)("by the model %s is no milder than by %s", { tags: "long" }, (stricter, milder) => {
    const seen = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(histories, (history) => {
        const [strict, mild] = [stricter, milder].map((model) => {
          const checkers = allCheckers({ model }).filter(({ property }) => property === "linearizability");
          return checkHistory(history, { checkers }).properties.linearizability?.verdict;
        });
        if (mild === "invalid") expect(strict).not.toBe("valid");
        if (strict === "valid") seen.valid += 1;
        if (mild === "invalid") seen.invalid += 1;
      }),
      DRAWS,
    );
    expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(0);
  });

  it("is that on the same lines in another dress", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ header, events }) => {
        const lines = [header, ...events].map((line) => JSON.stringify(line));
        const turned = [header, ...events].map((line) =>
          JSON.stringify(Object.fromEntries(Object.entries(line).toReversed()), null, " ").replaceAll("\n", " "),
        );
        const [plain, dressed] = await Promise.all(
          [lines.join("\n"), `\uFEFF${turned.join(" \r\n")}\r\n\r\n`].map((text) => checkStream([text], "history")),
        );
        expect(dressed?.verdict).toEqual(plain?.verdict);
      }),
      DRAWS,
    );
  });
});

function violationsOf(history: History, except: readonly Property[]): readonly string[] {
  const { properties } = checkHistory(history);
  return PROPERTIES.flatMap((property) =>
    except.includes(property)
      ? []
      : (properties[property]?.violations.map(({ cause, events }) => `${property} ${cause} ${events.length}`) ?? []),
  ).toSorted();
}
