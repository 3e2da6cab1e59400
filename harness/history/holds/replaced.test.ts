/** What a client does under an owner value may mean an acquire of which it does not know the outcome, and no older hold. */
import { describe, expect, it } from "vitest";
import { checkHistory } from "../../check/check.ts";
import { mutualExclusion } from "../../check/properties/mutual-exclusion.ts";
import { Recording } from "../../check/testing/recording.ts";

const verdict = ({ history }: Recording): string | undefined =>
  checkHistory(history, { checkers: [mutualExclusion] }).properties["mutual-exclusion"]?.verdict;

/** Client 0 outlives its lease without a word; process 1 is granted the key; `between` comes before the other's late release. */
function overrun(facts: { clients?: number; tasks?: readonly number[] }, between: (recording: Recording) => Recording) {
  const second = new Recording(facts).acquire(0, 0, "a", { ttlMs: 20 }).acquire(40, 1, "b");
  return { releasedBy: (process: number) => verdict(between(second).release(60, process, "a").release(70, 1, "b")) };
}

describe.each([{ clients: 2 }, {}])("a client that asks again and is not answered, %j", (facts) => {
  it("may mean by its release what it asked for", () => {
    const asked = overrun(facts, (recording) => recording.seek(50, 0));
    expect(asked.releasedBy(2)).toBe("valid");
    const told = overrun(facts, (recording) => recording.seek(50, 0).info(52, 0, "acquire"));
    expect(told.releasedBy(2)).toBe("valid");
  });

  it("means its hold where it is refused, or says that it enters again", () => {
    const refused = overrun(facts, (recording) => recording.seek(50, 0).refused(52, 0));
    expect(refused.releasedBy(0)).toBe("invalid");
    const entered = overrun(facts, (recording) => recording.seek(50, 0, { inner: true }));
    expect(entered.releasedBy(2)).toBe("invalid");
  });
});

it("means its hold by what it did before its acquire was refused", () => {
  const asked = overrun({ clients: 2 }, (recording) => recording.seek(50, 0).write(52, 2, "a", "x").refused(54, 0));
  expect(asked.releasedBy(0)).toBe("invalid");
  const unanswered = overrun({ clients: 2 }, (recording) => recording.seek(50, 0).write(52, 2, "a", "x"));
  expect(unanswered.releasedBy(4)).toBe("valid");
});

describe("an acquire of another task that is not answered", () => {
  const tasks = { clients: 2, tasks: [2, 1] };

  it("leaves the task's own release a sign of its hold", () => {
    expect(overrun(tasks, (recording) => recording.seek(50, 2)).releasedBy(0)).toBe("invalid");
    expect(overrun({}, (recording) => recording.seek(50, 2)).releasedBy(0)).toBe("invalid");
  });

  it("may be meant by a release of the process that goes on for that task", () => {
    const asked = (facts: object): ReturnType<typeof overrun> =>
      overrun(facts, (recording) => recording.seek(50, 2).seek(52, 0).refused(54, 0));
    expect(asked(tasks).releasedBy(6)).toBe("valid");
    expect(asked({}).releasedBy(6)).toBe("valid");
    expect(asked(tasks).releasedBy(0)).toBe("invalid");
    expect(asked({}).releasedBy(0)).toBe("invalid");
  });

  it("may be meant also where there are more than are remembered", () => {
    const many = (): ReturnType<typeof overrun> =>
      overrun({}, (recording) => {
        for (let process = 100; process < 120; process += 1) recording.seek(50, process);
        for (let process = 100; process < 110; process += 1) recording.refused(51, process);
        return recording.seek(52, 0).refused(54, 0);
      });
    expect(many().releasedBy(200)).toBe("valid");
    expect(many().releasedBy(0)).toBe("invalid");
  });
});
