/** An acquire of unknown outcome may have entered a hold of its own client again, at any time. */
import { describe, expect, it } from "vitest";
import type { Property } from "../core/verdict.ts";
import { PossibleReentries } from "./possible-reentries.ts";
import { ProcessLineage } from "./process-lineage.ts";
import { judge } from "../check/testing/judge.ts";
import { Recording } from "../check/testing/recording.ts";

const CLIENTS = 3;

/** An acquire of client 0 has an unknown end, with a lease of 20 ms; its later processes are 3, 6, and so on. */
function unknown(): Recording {
  return new Recording({ clients: CLIENTS, backend: "simulated" }).seek(0, 0, { ttlMs: 20 }).info(1, 0, "acquire");
}

function verdict(property: Property, recording: Recording): string | undefined {
  return judge(property, recording).split(";")[0];
}

describe("an acquire of unknown outcome", () => {
  const twice = (process: number, secondAt: number): Recording =>
    unknown().acquire(2, process, "a", { ttlMs: 400 }).acquire(secondAt, 1, "b", { ttlMs: 400 });

  it("may have cut a lease before its grant arrived: then its client outlived it", () => {
    const late = unknown().seek(2, 3, { ttlMs: 400 }).seek(40, 1, { ttlMs: 400 }).granted(41, 1, "b").seek(42, 1);
    const met = late.granted(43, 3, "a").granted(44, 1, "b");
    expect(verdict("lease-exclusion", met)).toBe("valid");
    expect(judge("mutual-exclusion", met)).toMatch(/^invalid; overrun /);
  });

  it("may have cut the lease of the next hold of its client, and of nobody else", () => {
    expect(verdict("lease-exclusion", twice(3, 40))).toBe("valid");
    expect(verdict("linearizability", twice(3, 40))).toBe("valid");
    expect(verdict("lease-exclusion", twice(2, 40))).toBe("invalid");
    expect(verdict("linearizability", twice(2, 40))).toBe("invalid");
    expect(verdict("lease-exclusion", twice(3, 10))).toBe("invalid");
    expect(verdict("linearizability", twice(3, 10))).toBe("invalid");
  });

  it("excuses nothing of a client that uses a fresh owner value for each hold", () => {
    const fresh = unknown().acquire(2, 3, "a").release(5, 3, "a").acquire(10, 3, "a2", { ttlMs: 400 });
    const both = fresh.acquire(60, 1, "b", { ttlMs: 400 });
    expect(verdict("lease-exclusion", both)).toBe("invalid");
    expect(verdict("linearizability", both)).toBe("invalid");
  });

  it("may have entered once more, so that a release leaves the hold and its fencing token", () => {
    const repeated = (process: number): Recording =>
      unknown().acquire(2, process, "a", { fence: 1 }).release(4, process, "a").acquire(6, process, "a", { fence: 1 });
    expect(verdict("fencing-tokens", repeated(3))).toBe("valid");
    expect(verdict("linearizability", repeated(3))).toBe("valid");
    expect(verdict("fencing-tokens", repeated(2))).toBe("invalid");
    const released = unknown().acquire(2, 3, "a", { fence: 1 }).release(4, 3, "a").release(6, 3, "a");
    expect(verdict("fencing-tokens", released.acquire(8, 3, "a", { fence: 1 }))).toBe("invalid");
  });

  it("may cut the lease of a later hold of its client, also when the one before was over", () => {
    const again = (process: number): Recording =>
      new Recording({ clients: CLIENTS })
        .acquire(0, 0, "a")
        .release(2, 0, "a")
        .seek(4, process, { ttlMs: 20 })
        .info(5, process, "acquire")
        .acquire(7, 3, "a", { ttlMs: 400 })
        .acquire(40, 1, "b", { ttlMs: 400 });
    expect(verdict("lease-exclusion", again(0))).toBe("valid");
    expect(verdict("lease-exclusion", again(2))).toBe("invalid");
  });

  it("may have begun a new hold that its client extends after another held", () => {
    const extended = (process: number): Recording =>
      unknown().acquire(2, process, "a", { ttlMs: 20 }).acquire(30, 1, "b", { ttlMs: 20 }).extend(61, process, "a");
    expect(verdict("linearizability", extended(3))).toBe("valid");
    expect(verdict("linearizability", extended(2))).toBe("invalid");
  });

  it("may have begun a new hold after the lease was over, whose larger fencing token a later grant repeats", () => {
    const later = (extendedMs: number, fence: number): Recording =>
      unknown()
        .acquire(2, 3, "a", { fence: 2, ttlMs: 20 })
        .extend(extendedMs, 3, "a")
        .acquire(extendedMs + 5, 3, "a", { fence });
    expect(verdict("fencing-tokens", later(40, 3))).toBe("valid");
    expect(verdict("fencing-tokens", later(40, 1))).toBe("invalid");
    expect(verdict("fencing-tokens", later(10, 3))).toBe("invalid");
  });
});

describe("an acquire that is never answered, while its client goes on under another process number", () => {
  it("may have cut the lease that its client had when it asked", () => {
    const asked = (process: number): Recording =>
      new Recording({ clients: CLIENTS, backend: "simulated" })
        .acquire(0, 0, "a", { ttlMs: 400 })
        .seek(5, process, { ttlMs: 20 })
        .acquire(60, 3, "a2", { ttlMs: 400 });
    expect(verdict("linearizability", asked(0))).toBe("valid");
    expect(verdict("linearizability", asked(2))).toBe("invalid");
  });

  it("may have begun the hold that the client then releases", () => {
    const released = (process: number): Recording =>
      new Recording({ clients: CLIENTS, backend: "simulated" })
        .acquire(0, 0, "a", { ttlMs: 20 })
        .acquire(40, 1, "b")
        .release(45, 1, "b")
        .seek(50, process)
        .release(60, 3, "a");
    expect(verdict("linearizability", released(0))).toBe("valid");
    expect(verdict("linearizability", released(2))).toBe("invalid");
  });
});

it("an acquire of unknown outcome concerns the owner value that its client had last, else the one it has next", () => {
  const reentries = new PossibleReentries<string>(new ProcessLineage(CLIENTS), () => "acquire");
  expect([...reentries.add(0, "first", 0)]).toEqual([]);
  expect(reentries.mayHaveGranted("a")).toBe(false);
  expect(reentries.grant(1, "b", 2)).toEqual([]);
  expect(reentries.grant(3, "a", 4)).toEqual(["first"]);
  expect(reentries.grant(3, "a", 6)).toEqual([]);
  expect(reentries.mayHaveGranted("a")).toBe(true);
  expect([...reentries.add(3, "second", 8)]).toEqual(["a"]);
  expect(reentries.grant(6, "a2", 10)).toEqual([]);
  expect(reentries.mayHaveGranted("a2")).toBe(false);
  expect(reentries.mayHaveGranted("b")).toBe(false);
});

it("concerns the last owner value of its client, however often others were granted the lock since", () => {
  const reentries = new PossibleReentries<string>(new ProcessLineage(CLIENTS), () => "acquire");
  reentries.grant(0, "a", 0);
  for (let index = 1; index < 40; index++) reentries.grant(1, `b${index}`, index);
  expect([...reentries.add(3, "unknown", 40)]).toEqual(["a"]);
  expect(reentries.grant(6, "a2", 41)).toEqual([]);
});

it("concerns its own key only, whatever the names of keys and owner values", () => {
  const met = (key: string, owner: string): Recording =>
    unknown()
      .acquire(2, 0, "12", { ttlMs: 400 })
      .on(key)
      .acquire(4, 1, owner, { ttlMs: 400 })
      .acquire(40, 2, "other", { ttlMs: 400 });
  expect(verdict("lease-exclusion", met("k", "12"))).toBe("invalid");
  expect(verdict("lease-exclusion", met("k1", "2"))).toBe("invalid");
  expect(verdict("lease-exclusion", met("k1", "12"))).toBe("invalid");
});

it("is offered once to each process that may be its client's, and each later one to the same process again", () => {
  const reentries = new PossibleReentries<string>(new ProcessLineage(undefined), () => "acquire");
  reentries.add(0, "first", 0);
  expect(reentries.grant(5, "a", 1)).toEqual(["first"]);
  expect(reentries.grant(5, "b", 2)).toEqual([]);
  reentries.add(1, "second", 3);
  expect(reentries.grant(5, "c", 4)).toEqual(["second"]);
  expect(reentries.grant(6, "d", 5)).toEqual(["first", "second"]);
  expect(reentries.grant(5, "e", 6)).toEqual([]);
  expect(reentries.grant(6, "f", 7)).toEqual([]);
});

it("is one of those too that its client was granted while it was under way", () => {
  const reentries = new PossibleReentries<string>(new ProcessLineage(CLIENTS), () => "acquire");
  for (const [index, owner] of ["before", "a", "b"].entries()) reentries.grant(3, owner, index);
  reentries.grant(1, "another", 3);
  expect([...reentries.add(0, "long", 0)]).toEqual(["b", "a"]);
  expect(["before", "a", "b"].map((owner) => reentries.mayHaveGranted(owner))).toEqual([false, true, true]);
});

describe("an acquire of unknown outcome that was asked for while another of its client was under way", () => {
  it("may have entered the hold of that one too, whenever that one is answered", () => {
    const reentries = new PossibleReentries<string>(new ProcessLineage(CLIENTS), () => "acquire");
    reentries.add(0, "unknown", 4);
    expect(reentries.grant(3, "b", 7, 6)).toEqual(["unknown"]);
    expect(reentries.grant(6, "a", 8, 2)).toEqual(["unknown"]);
    expect(reentries.mayHaveGranted("a")).toBe(true);
    expect(reentries.grant(6, "c", 10, 9)).toEqual([]);
    expect(reentries.grant(9, "d", 11, 3)).toEqual(["unknown"]);
    expect(reentries.grant(9, "e", 12, 5)).toEqual([]);
    expect(reentries.grant(1, "f", 13, 1)).toEqual([]);
  });

  /** client-0 releases what it was granted for 20 ms, long before; meanwhile client-1 held. */
  const released = (process: number, askedMs: number): string | undefined =>
    verdict(
      "linearizability",
      new Recording({ clients: CLIENTS, backend: "simulated" })
        .seek(0, 0, { ttlMs: 20 })
        .seek(askedMs, process)
        .info(askedMs + 1, process, "acquire")
        .acquire(40, 1, "b")
        .granted(60, 0, "a")
        .release(65, 1, "b")
        .release(70, 0, "a"),
    );

  it("may have begun the hold that its client then releases", () => {
    expect(released(3, 10)).toBe("valid");
    expect(released(2, 10)).toBe("invalid");
  });
});

describe("an owner value that no known grant shows", () => {
  /** Client 0 extends the lock to 400 ms under a value that one of its unanswered acquires was granted. */
  const shown = (): Recording =>
    unknown().seek(2, 3, { ttlMs: 20 }).info(3, 3, "acquire").extend(10, 6, "a", { ttlMs: 400 });

  it("is one that another acquire of its client may have entered again, and cut its lease", () => {
    expect(verdict("linearizability", shown().acquire(60, 1, "b"))).toBe("valid");
    expect(verdict("linearizability", unknown().extend(10, 3, "a", { ttlMs: 400 }).acquire(60, 1, "b"))).toBe(
      "invalid",
    );
  });

  it("is one that an acquire may have entered that is under way until its client has been granted another", () => {
    const begun = (): Recording =>
      new Recording({ clients: CLIENTS, backend: "simulated" }).seek(0, 0, { ttlMs: 400 }).info(1, 0, "acquire");
    const asked = (process: number): Recording =>
      begun()
        .seek(2, process, { ttlMs: 20 })
        .extend(10, 6, "a", { ttlMs: 400 })
        .acquire(60, 6, "a2")
        .info(70, process, "acquire");
    expect(verdict("linearizability", asked(3))).toBe("valid");
    expect(verdict("linearizability", asked(2))).toBe("invalid");
  });

  it("may not be the one of an acquire that its client is granted later", () => {
    const other = (): Recording => unknown().release(5, 3, "a", false).acquire(10, 3, "a2").acquire(60, 1, "b");
    expect(verdict("linearizability", other())).toBe("valid");
  });

  it("is the first that its client refers to: one that uses several draws a fresh one each time", () => {
    const reentries = new PossibleReentries<string>(new ProcessLineage(CLIENTS), () => "acquire");
    reentries.add(0, "first", 0);
    reentries.add(1, "another client's", 1);
    expect(reentries.refer(3, "a")).toEqual(["first"]);
    expect(reentries.refer(3, "a2")).toEqual([]);
    expect([...reentries.add(3, "second", 4)]).toEqual(["a"]);
    expect(["a", "a2"].map((owner) => reentries.mayHaveGranted(owner))).toEqual([true, false]);
    expect(reentries.grant(6, "a3", 6)).toEqual(["first", "second"]);
    expect(reentries.refer(6, "a4")).toEqual([]);
  });
});

describe("where the history does not say how many clients ran", () => {
  /** Processes 0 and 1 are over; process 3 may continue either of them, or process 2, whose acquire has an unknown end. */
  const later = (owner: string): Recording =>
    new Recording()
      .acquire(0, 0, "a0", { fence: 1 })
      .release(2, 0, "a0")
      .seek(4, 0)
      .info(5, 0, "acquire")
      .acquire(8, 1, "b", { fence: 2 })
      .release(10, 1, "b")
      .seek(12, 1)
      .info(14, 1, "acquire")
      .seek(16, 2)
      .info(18, 2, "acquire")
      .acquire(20, 3, owner, { fence: 5 })
      .release(22, 3, owner)
      .acquire(24, 3, owner, { fence: 5 });

  it("an acquire of unknown outcome may have entered the hold of each client that may be its own", () => {
    for (const owner of ["a0", "b"]) {
      expect(verdict("linearizability", later(owner))).toBe("valid");
      expect(verdict("fencing-tokens", later(owner))).toBe("valid");
    }
  });

  it("each value that one of these was granted is possible, and none is the only one", () => {
    const reentries = new PossibleReentries<string>(new ProcessLineage(undefined), () => "acquire");
    reentries.grant(0, "a", 0);
    reentries.grant(1, "b", 1);
    expect([...reentries.add(2, "unknown", 2)]).toEqual(["a", "b"]);
    expect(reentries.grant(3, "c", 4)).toEqual(["unknown"]);
    expect(reentries.grant(3, "d", 5)).toEqual([]);
    expect(reentries.grant(4, "a", 6)).toEqual(["unknown"]);
  });

  it("and so is the value that its own process referred to without a known grant", () => {
    const reentries = new PossibleReentries<string>(new ProcessLineage(undefined), () => "acquire");
    reentries.grant(0, "a", 0);
    reentries.refer(2, "x");
    expect([...reentries.add(2, "unknown", 2)]).toEqual(["a", "x"]);
  });

  it("two processes that did all at one instant are not one client for certain", () => {
    const lineage = new ProcessLineage(undefined);
    for (const process of [0, 1, 2]) lineage.push({ process, time: 5 });
    const reentries = new PossibleReentries<string>(lineage, () => "acquire");
    reentries.grant(0, "a", 0);
    reentries.grant(1, "b", 1);
    expect([...reentries.add(2, "unknown", 2)]).toEqual(["a", "b"]);
  });

  it("an acquire that is under way may have cut the lease of each client that may be its own", () => {
    const asked = (process: number): Recording =>
      new Recording()
        .fail(0, 5)
        .fail(1, 2)
        .acquire(2, 1, "a")
        .seek(4, 1)
        .info(5, 1, "acquire")
        .seek(7, process, { ttlMs: 20 })
        .acquire(40, 2, "b")
        .release(45, 2, "b");
    expect(verdict("lease-exclusion", asked(4).granted(60, 4, "a"))).toBe("valid");
    expect(verdict("lease-exclusion", asked(4).granted(60, 4, "c"))).toBe("invalid");
    expect(verdict("lease-exclusion", asked(4))).toBe("valid");
    expect(verdict("lease-exclusion", asked(5))).toBe("invalid");
  });

  it("the latest of many acquires are offered to each grant", () => {
    const offered = (clients: number | undefined, kinds = 1): readonly number[] => {
      const kindOf = (acquire: number): string => `${acquire % kinds}`;
      const reentries = new PossibleReentries<number>(new ProcessLineage(clients), kindOf);
      for (let number = 0; number < 300; number++) reentries.add(2 * number, number, number);
      return reentries.grant(600, "a", 301);
    };
    expect(offered(undefined, 300)).toEqual(Array.from({ length: 64 }, (_, index) => 236 + index));
    // Of those that differ in nothing but their age, one hold needs a few at most.
    expect(offered(undefined)).toEqual(Array.from({ length: 16 }, (_, index) => 284 + index));
    expect(offered(undefined, 2)).toHaveLength(32);
    expect(offered(2)).toHaveLength(256);
  });

  it("many acquires that are never answered are offered in proportion to the grants", () => {
    const offersOf = (many: number): number => {
      const reentries = new PossibleReentries<number>(new ProcessLineage(undefined), () => "acquire");
      for (let process = 0; process < many; process += 1) reentries.grant(process, `o${process}`, 2 * process + 1);
      let offers = 0;
      for (let process = 0; process < many; process += 1)
        offers += reentries.add(many + process, process, 2 * process).size;
      return offers;
    };
    expect(offersOf(4000)).toBeLessThan(20_000);
  });

  it("a hold is offered a few later acquires of each kind, and each that was asked for before those", () => {
    const reentries = new PossibleReentries<string>(new ProcessLineage(undefined), (kind) => kind);
    reentries.grant(0, "a", 10);
    const isOffered = (process: number, kind: string, invokedIndex: number): boolean =>
      reentries.add(process, kind, invokedIndex).has("a");
    for (let index = 0; index < 16; index += 1) expect(isOffered(1 + index, "long", 20 + index)).toBe(true);
    expect(isOffered(30, "long", 40)).toBe(false);
    expect(isOffered(31, "short", 41)).toBe(true);
    // It may have come before those that were told of first.
    expect(isOffered(32, "long", 34)).toBe(true);
    reentries.grant(0, "a", 50);
    expect(isOffered(33, "long", 60)).toBe(true);
  });
});

describe("a client whose tasks have an owner value each", () => {
  /** One task has used its value before another, whose value is granted later, asks without an answer. */
  const entered = (facts: object, beside: boolean): Recording => {
    const used = new Recording({ clients: 2, reentrant: true, ...facts })
      .acquire(0, 0, "c", { fence: 4 })
      .release(4, 0, "c");
    const asked = used.seek(10, 2);
    return (beside ? asked.on("other").acquire(12, 0, "x").on("k") : asked)
      .info(14, 2, "acquire")
      .acquire(20, 4, "a", { fence: 5 })
      .release(30, 4, "a")
      .acquire(40, 4, "a", { fence: 5 });
  };

  it("may have entered by an acquire of unknown outcome the hold that its next value was granted", () => {
    for (const property of ["linearizability", "fencing-tokens"] as const) {
      expect(verdict(property, entered({ tasks: [2, 1] }, false))).toBe("valid");
      expect(verdict(property, entered({}, true))).toBe("valid");
      // One that does one thing at a time is known to use fresh values.
      expect(verdict(property, entered({}, false))).toBe("invalid");
    }
  });
});

it("may have cut the lease of a thread's hold, where the history does not say which processes are threads of one client", () => {
  const cut = (facts: object): string | undefined =>
    verdict(
      "lease-exclusion",
      new Recording({ reentrant: true, ...facts })
        .seek(27, 0, { ttlMs: 50 })
        .seek(28, 2, { ttlMs: 300 })
        .granted(34, 2, "c0", { validForMs: 298 })
        .info(104, 0, "acquire")
        .seek(206, 3, { ttlMs: 300 })
        .granted(294, 3, "c1", { validForMs: 261 })
        .release(314, 2, "c0", false),
    );
  expect(cut({})).toBe("valid");
  expect(cut({ clients: 4 })).toBe("invalid");
});
