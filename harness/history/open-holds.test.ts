import { describe, expect, it } from "vitest";
import type { Hold } from "./holds.ts";
import { OpenHolds } from "./open-holds.ts";

let index = 0;

function hold(owner: string, process: number, key = "k"): Hold {
  index += 1;
  // Only the fields that the index reads.
  return { key, owner, process, currentProcess: process, grantedIndex: index, share: { kind: "exclusive" } } as Hold;
}

function owners(holds: Iterable<Hold>): string {
  return [...holds].map(({ owner }) => owner).join("");
}

describe("open holds", () => {
  it("keeps the order of the grants, from both ends, after any removals", () => {
    const open = new OpenHolds(undefined);
    const [a, b, c, d] = [hold("a", 0), hold("b", 1), hold("c", 2), hold("d", 3)];
    for (const each of [a, b, c, d]) open.add(each);
    open.remove(b);
    expect(`${owners(open.of("k"))} ${owners(open.latest("k"))} ${open.count("k")}`).toBe("acd dca 3");
    open.remove(a);
    open.remove(d);
    open.add(b);
    expect(`${owners(open.of("k"))} ${owners(open.latest("k"))}`).toBe("cb bc");
    open.remove(c);
    open.remove(b);
    open.remove(b);
    expect(`${owners(open.of("k"))} ${open.count("k")}`).toBe(" 0");
  });

  it("finds the holds of one client among thousands with the same owner value", () => {
    const open = new OpenHolds(undefined);
    const holds = Array.from({ length: 5000 }, (_, process) => hold("x", process));
    for (const each of holds) open.add(each);
    expect([...open.ofClient("k", 4000)]).toEqual([holds[4000]]);
    expect([...open.candidates("k", 4000, "x")].slice(0, 2)).toEqual([holds[4000], holds[4999]]);
    expect([...open.candidates("k", 4000, "x")].length).toBe(101);
    expect([...open.candidates("k", 4000, "y")]).toEqual([]);
    open.move(holds[4000]!, 9000);
    expect([...open.ofClient("k", 4000)]).toEqual([]);
    expect([...open.ofClient("k", 9000)]).toEqual([holds[4000]]);
    expect([...open.ofClientAnywhere(1)].length).toBe(5000);
    expect(open.oldestOfOwner("k", "x")).toBe(holds[0]);
  });

  it("knows clients by the remainder of their process numbers, where the history says how many there are", () => {
    const open = new OpenHolds(3);
    const mine = hold("a", 1);
    const other = hold("b", 2, "other");
    open.add(mine);
    open.add(other);
    expect([...open.candidates("k", 4, undefined)]).toEqual([mine]);
    expect([...open.candidates("k", 5, undefined)]).toEqual([]);
    expect([...open.ofClientAnywhere(5)]).toEqual([other]);
  });
});
