import { describe, expect, test } from "vitest";
import { grantProblem, lostProblem, refuseNoClient, releaseProblem, shortReason } from "./driver-answers.ts";

const ok = (value: unknown): object => ({ type: "ok", value });
const grant = { key: "k", owner: "o" };
const COMPLETION = "{ type: 'ok', value }, or 'fail' with kind and reason, or 'info' with reason";

describe("a grant", () => {
  test.each([
    ok(grant),
    ok({ ...grant, fence: 0, place: "node-2", validForMs: -0.5, validFromMs: 12.25 }),
    { type: "fail", kind: "contended", reason: "held" },
    { type: "fail", kind: "error", reason: "down" },
    { type: "info", reason: "timed out" },
  ])("may be %j", (answer) => {
    expect(grantProblem(answer, "k")).toBeUndefined();
  });

  test.each([
    [undefined, `it gave undefined: return ${COMPLETION}`],
    [null, `it gave null: return ${COMPLETION}`],
    [true, `it gave boolean: return ${COMPLETION}`],
    [{}, "`type` is none of ok, fail and info"],
    [{ type: "weird" }, "`type` is none of ok, fail and info"],
    [{ type: "ok" }, "it is ok, but `value` is missing"],
    [{ type: "fail", reason: "?" }, "it failed, but `kind` is neither contended nor error"],
    [ok({ owner: "o" }), "`key` is missing: `value` is the grant, `{ key, owner, validForMs, validFromMs }`"],
    [ok({ ...grant, key: "other" }), "`key` is not the key that was asked for"],
    [ok({ key: "k" }), "`owner` is no text"],
    [ok({ ...grant, owner: "" }), "`owner` is empty"],
    [ok({ ...grant, owner: "o".repeat(4097) }), "`owner` is longer than 4096 characters"],
    [ok({ ...grant, fence: 1.5 }), "`fence` is not a whole number below 2^53"],
    [ok({ ...grant, fence: 7n }), "`fence` is not a whole number below 2^53"],
    [ok({ ...grant, fence: "7" }), "`fence` is not a whole number below 2^53"],
    [ok({ ...grant, place: "" }), "`place` is empty"],
    [ok({ ...grant, validForMs: Number.NaN }), "`validForMs` is not a finite number"],
    [ok({ ...grant, validForMs: Infinity }), "`validForMs` is not a finite number"],
    [ok({ ...grant, validFromMs: "now" }), "`validFromMs` is not a finite number"],
  ])("may not be %o", (answer, problem) => {
    expect(grantProblem(answer, "k")).toBe(problem);
  });
});

test("a release says whether it has released", () => {
  expect(releaseProblem(ok({ released: false }))).toBeUndefined();
  expect(releaseProblem(ok({ released: "yes" }))).toBe("`released` is neither true nor false");
  expect(releaseProblem(undefined)).toMatch(/^it gave undefined: return \{ type: 'ok', value \}/);
});

test("a lost lease has a key and an owner", () => {
  expect(lostProblem(grant)).toBeUndefined();
  expect([lostProblem(undefined), lostProblem({ key: "k", owner: "" })]).toEqual([
    "it reported a lost lease without saying which",
    "`owner` is empty",
  ]);
});

test.each([undefined, {}, { acquire: () => {} }, { acquire: () => {}, release: 1 }])("%o is no client", (client) => {
  expect(() => refuseNoClient(client)).toThrow("its connect returns no client");
});

test("a reason is text, and short", () => {
  expect([shortReason("held"), shortReason({}), shortReason("x".repeat(5000)).length]).toEqual([
    "held",
    "no reason was given",
    2003,
  ]);
});
