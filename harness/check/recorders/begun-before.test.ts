/** Recordings that begin while an acquire is under way, of which they have neither the invocation nor the answer. */
import { describe, expect, it } from "vitest";
import { PROPERTIES, type Property } from "../../core/verdict.ts";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

function accused({ history }: Recording): readonly Property[] {
  const { properties } = checkHistory(history, { foreign: true });
  return PROPERTIES.filter((property) => properties[property]?.verdict === "invalid");
}

/** Client 1 holds and releases; then client 0, of which nothing is known until now, has the key. */
const begun = (facts: object = { clients: 3 }): Recording =>
  new Recording(facts).acquire(0, 1, "b").release(10, 1, "b");

describe.each([[{ clients: 3 }], [{}]])("a client that does something for the first time (%o)", (facts) => {
  it("may have been granted the key by an acquire that began before the recording", () => {
    expect(accused(begun(facts).release(20, 0, "a"))).toEqual([]);
    expect(accused(begun(facts).extend(20, 0, "a").release(30, 0, "a").acquire(40, 1, "b2"))).toEqual([]);
    expect(accused(begun({ ...facts, backend: "simulated" }).release(20, 0, "a"))).toContain("linearizability");
  });

  it("held it beside nobody", () => {
    const beside = new Recording(facts).acquire(0, 1, "b").release(20, 0, "a").release(30, 1, "b");
    expect(accused(beside)).toContain("linearizability");
    const still = begun(facts).extend(20, 0, "a").acquire(25, 1, "b2").extend(30, 0, "a");
    expect(accused(still)).toContain("linearizability");
  });
});

it("has one such hold", () => {
  expect(accused(begun().release(20, 0, "a").release(30, 0, "a2"))).toContain("linearizability");
});

it("has none once it has done something else, and another was granted the key since", () => {
  const first = new Recording({ clients: 3 })
    .write(0, 0, "z", "w1")
    .wrote(1, 0, 1)
    .acquire(5, 1, "b")
    .release(10, 1, "b");
  expect(accused(first.release(20, 0, "a"))).toContain("linearizability");
});

it("may have asked for fencing tokens too", () => {
  const tokens = new Recording({ clients: 3 }).acquire(0, 1, "b", { fence: 1 }).release(10, 1, "b").release(20, 0, "a");
  expect(accused(tokens.acquire(30, 1, "b2", { fence: 3 }))).toEqual([]);
});
