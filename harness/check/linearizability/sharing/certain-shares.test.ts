import { expect, it } from "vitest";
import { lockModel, type LockOperation } from "../lock-models.ts";
import { CertainShares } from "./certain-shares.ts";
import { ModeChanges } from "./mode-changes.ts";

const MS = 1_000_000;

interface Round {
  readonly compared: number;
  readonly impossible: readonly string[];
}

/** So many readers, of ten clients, one after another, and a writer after every fourth. All is known before anything is placed. */
function follow(holds: number, operations = roundsOf(holds), unanswered: readonly LockOperation[] = []): Round {
  let compared = 0;
  const sameClient = (one: number, other: number): boolean => {
    compared += 1;
    return one % 10 === other % 10;
  };
  const shares = new CertainShares({ ...lockModel("reentrant-mutex"), sameClient });
  for (const operation of [...unanswered, ...operations]) shares.announce(operation);
  const impossible: string[] = [];
  for (const operation of operations) {
    const found = shares.push(operation);
    if (found !== undefined)
      impossible.push(`${operation.owner} beside ${found.beside?.map(({ owner }) => owner).join()}`);
  }
  return { compared, impossible };
}

function roundsOf(holds: number): LockOperation[] {
  return Array.from({ length: holds }, (_, place) => {
    const mode = place % 5 === 4 ? "exclusive" : "shared";
    const at = place * 4;
    return [operationOf("acquire", place, at, mode), operationOf("release", place, at + 2, mode)];
  }).flat();
}

function operationOf(
  kind: "acquire" | "release",
  place: number,
  at: number,
  mode: "shared" | "exclusive",
): LockOperation {
  const window = { invoked: at, invokedTime: at * MS, completed: at + 1, completedTime: (at + 1) * MS };
  const lock = { fence: undefined, leaseNs: 1000 * MS, share: { kind: mode } };
  return { kind, required: true, process: place % 10, owner: `o${place}`, stranger: false, ...window, ...lock };
}

it("costs as much for each hold, however much is known of what comes later", () => {
  const [short, long] = [follow(500).compared, follow(2000).compared];
  expect(long).toBeLessThan(short * 4.5);
});

it("finds a hold without room, however many holds come later", () => {
  const operations = roundsOf(51_000);
  expect(follow(51_000, operations).impossible).toEqual([]);
  const [unreleased] = operations.splice(9, 1);
  expect(unreleased?.kind).toBe("release");
  expect(follow(51_000, operations).impossible[0]).toBe("o5 beside o4");
});

it("lets a writer go on as a reader only from when its client asks for that", () => {
  const [writer, reader] = [
    operationOf("acquire", 0, 0, "exclusive"),
    { ...operationOf("acquire", 1, 4, "shared"), process: 1 },
  ];
  const changed = (at: number): LockOperation => ({ ...operationOf("acquire", 10, at, "shared"), process: 0 });
  expect(follow(0, [writer, changed(2), reader]).impossible).toEqual([]);
  expect(follow(0, [writer, reader, changed(6)]).impossible).toEqual(["o1 beside o0"]);
});

it("lets a release of unknown outcome end a later hold of the same owner value", () => {
  const again = (kind: "acquire" | "release", at: number): LockOperation => operationOf(kind, 0, at, "exclusive");
  const lost: LockOperation = { ...again("release", 2), required: false, completed: Infinity };
  const operations = [
    again("acquire", 0),
    again("release", 4),
    again("acquire", 6),
    operationOf("acquire", 1, 8, "shared"),
  ];
  expect(follow(0, operations).impossible).toEqual(["o1 beside o0"]);
  expect(follow(0, operations, [lost]).impossible).toEqual([]);
});

it("remembers an acquire as long as something is under way that may have come before it", () => {
  const changes = new ModeChanges();
  const extension: LockOperation = { ...operationOf("acquire", 0, 0, "shared"), kind: "extend", completed: 10_000 };
  changes.begin(extension);
  for (let place = 1; place <= 200; place += 1) {
    changes.begin(operationOf("acquire", place, place * 4, "shared"));
    changes.place(place * 4 + 1);
  }
  expect(changes.beside(extension)).toHaveLength(200);
  expect(changes.beside(operationOf("release", 199, 199 * 4, "shared"))).toHaveLength(2);
});

it("forgets the others", () => {
  const changes = new ModeChanges();
  for (let place = 0; place < 1000; place += 1) {
    changes.begin(operationOf("acquire", place, place * 4, "shared"));
    changes.place(place * 4 + 1);
  }
  expect(changes.beside(operationOf("release", 0, 0, "shared")).length).toBeLessThan(130);
});

it("of an owner that was granted the key twice remembers how it shares it until two releases", () => {
  const permits = (
    owner: string,
    at: number,
    count: number,
    kind: "acquire" | "release" = "acquire",
  ): LockOperation => ({
    ...operationOf(kind, owner === "a" ? 0 : 1, at, "shared"),
    owner,
    share: { kind: "counted", limit: 2, permits: count },
    mayRenew: true,
  });
  const twice = [permits("a", 0, 1), permits("a", 2, 1), permits("a", 4, 1, "release")];
  const last = [permits("a", 8, 2), permits("b", 10, 1)];
  expect(follow(0, [...twice, ...last]).impossible).toEqual([]);
  expect(follow(0, [...twice, permits("a", 6, 1, "release"), ...last]).impossible).toEqual(["b beside a"]);
});
