import { describe, expect, test, vi } from "vitest";
import { randomStream } from "../../core/random.ts";
import { ProcessLineage } from "../process-lineage.ts";
import { OpenAcquires } from "./open-acquires.ts";

interface Acquire {
  readonly time: number;
}

/** Acquires of one key, each by a process of its own that does nothing else, at 1, 2, 3 and so on. */
function underWay(count: number): { readonly lineage: ProcessLineage; readonly acquires: OpenAcquires<Acquire> } {
  const lineage = new ProcessLineage(undefined);
  const acquires = new OpenAcquires<Acquire>(undefined, lineage);
  for (let time = 1; time <= count; time += 1) {
    lineage.push({ process: time, time });
    acquires.begin("k", time, { time });
  }
  return { lineage, acquires };
}

describe("acquires under way, where process numbers do not tell clients", () => {
  test("one look is enough to see that one may be of a client that came later", () => {
    const { lineage, acquires } = underWay(500);
    lineage.push({ process: 1000, time: 1000 });
    const looks = vi.spyOn(lineage, "mayContinue");
    expect(acquires.has("k", 1000)).toBe(true);
    expect(looks).toHaveBeenCalledTimes(1);
    expect([...acquires.of("k", 1000)]).toHaveLength(500);
  });

  test("one look is enough to see that all were asked for when a client had begun", () => {
    const { lineage, acquires } = underWay(500);
    lineage.push({ process: 1000, time: 0 });
    lineage.push({ process: 1000, time: 1000 });
    const looks = vi.spyOn(lineage, "mayContinue");
    expect(acquires.has("k", 1000)).toBe(false);
    expect(looks).toHaveBeenCalledTimes(1);
  });

  test("they are those that a process may continue, whatever else their processes do", () => {
    const random = randomStream(1, "acquires");
    for (let round = 0; round < 200; round += 1) {
      const lineage = new ProcessLineage(undefined);
      const acquires = new OpenAcquires<Acquire>(undefined, lineage);
      const open = new Map<number, Acquire>();
      for (let time = 0; time < 30; time += 1) {
        const process = random.integer(0, 8);
        // Events may share a time, and an acquire may be known to be completed later.
        const at = { time: Math.floor(time / 4) };
        lineage.push({ process, ...at });
        if (open.has(process) || random.integer(0, 1) === 0) continue;
        open.set(process, at);
        acquires.begin("k", process, at);
        if (random.integer(0, 3) === 0) lineage.push({ process, time: at.time + random.integer(0, 5) });
      }
      for (let process = 0; process < 10; process += 1) {
        const possible = [...open].filter(([other]) => lineage.mayContinue(other, process));
        const found = [...acquires.of("k", process)].toSorted(([one], [other]) => one - other);
        expect(found).toEqual(possible.toSorted(([one], [other]) => one - other));
        expect(acquires.has("k", process)).toBe(possible.length > 0);
      }
    }
  });
});

test("where process numbers tell clients, only those of the client are under way", () => {
  const acquires = new OpenAcquires<Acquire>(2, new ProcessLineage(2));
  acquires.begin("k", 0, { time: 0 });
  acquires.begin("k", 3, { time: 1 });
  expect([...acquires.of("k", 5)]).toEqual([[3, { time: 1 }]]);
  acquires.end("k", 3);
  expect(acquires.has("k", 5)).toBe(false);
  expect(acquires.has("k", 2)).toBe(true);
});
