import { expect, it } from "vitest";
import { violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const recording = (topology: string): Recording => new Recording({ clients: 2, backend: "simulated", topology });

/** What linearizability says of an owner whose release succeeds in the hold of the next. */
function causesOf(topology: string, release: (written: Recording) => Recording, first = grantedLate) {
  const written = release(first(recording(topology)).acquire(960, 1, "b"));
  return violationsOf("linearizability", written).flatMap(({ hypotheses = [] }) =>
    hypotheses.map(({ cause }) => cause),
  );
}

/** Asked for at 0, and stated to count from then: what the last servers were sent may last until 1200. */
function grantedLate(written: Recording): Recording {
  return written.seek(0, 0).granted(200, 0, "a", { validForMs: 950, grantedAtMs: 0 });
}

function grantedAtOnce(written: Recording): Recording {
  return written.acquire(0, 0, "a", { validForMs: 950 });
}

it("does not say that a release took what was another's if some of several servers may still have held it for its owner", () => {
  const inTime = (it: Recording): Recording => it.release(1100, 0, "a");
  expect(causesOf("redlock", inTime)).toEqual(["contradiction"]);
  expect(causesOf("single", inTime)).toEqual(["foreign-release"]);
  const late = (it: Recording): Recording => it.release(1500, 0, "a");
  expect(causesOf("redlock", late)).toEqual(["foreign-release"]);
  const held = (written: Recording): Recording =>
    grantedAtOnce(written.fault(-1, "latency")).fault(500, "latency", { phase: "heal" });
  expect(causesOf("redlock", late, held)).toEqual(["contradiction"]);
  expect(causesOf("single", late, held)).toEqual(["foreign-release"]);
});

it("says that one took what was another's if its owner never held the lock", () => {
  const stranger = (it: Recording): Recording => it.release(1100, 0, "c");
  expect(causesOf("redlock", stranger)).toEqual(["foreign-release"]);
});
