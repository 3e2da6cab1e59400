import { describe, expect, it } from "vitest";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const judged = (recording: Recording): string => judge("all-or-nothing", recording);
const recorded = (facts = {}): Recording => new Recording({ clients: 3, backend: "simulated", ...facts });
const LONG = { ttlMs: 5000 };

/** client-0 holds b; client-1 asks for a and b, and is refused; nobody ever held a. */
const failed = (recording = recorded(), reason = "contended-one-of-several"): Recording =>
  recording
    .on("b")
    .acquire(0, 0, "x", LONG)
    .on("a")
    .seek(100, 1, { ...LONG, alsoKeys: ["b"] })
    .refused(101, 1, reason);

/** client-0 holds a and b together, and gives both back. */
const released = (): Recording =>
  ["a", "b"].reduce(
    (recording, key, index) =>
      recording
        .on(key)
        .acquire(10 * index, 3 * index, "x", { ...LONG, alsoKeys: [key === "a" ? "b" : "a"] })
        .release(100 + 10 * index, 3 * index, "x"),
    recorded(),
  );

describe("an acquisition of several keys that failed", () => {
  it("left one behind if a try for it alone is refused a second later, when nobody holds it", () => {
    expect(judged(failed().fail(1102, 2))).toBe("invalid; left-behind 2,3,4,5");
    expect(violationsOf("all-or-nothing", failed().fail(1102, 2))[0]?.explanation).toBe(
      "client-2 was refused a at 1,103 ms as contended, but nobody held it: each owner that was ever granted a had given it back, and nothing was under way. Before that, client-1 had asked for a and b at once, and was refused at 101 ms because one of them was held. The failed acquisition took a and left it behind.",
    );
  });

  it("left none behind that is granted", () => {
    expect(judged(failed().acquire(1102, 2, "y"))).toBe("valid");
  });

  it("proves nothing of a key that is held, or that nobody asks for", () => {
    const both = failed()
      .on("b")
      .seek(102, 4, { ...LONG, alsoKeys: ["a"] })
      .refused(103, 4, "contended-one-of-several");
    expect(judged(both.fail(1104, 2))).toBe("not-applicable");
    expect(judged(failed())).toBe("not-applicable");
  });
});

describe("nothing is certain", () => {
  it.each<[string, Recording]>([
    ["within the second after it", failed().fail(1000, 2)],
    ["of a lease too short to be granted", failed().seek(1102, 2, { ttlMs: 99 }).refused(1103, 2)],
    ["while another try is under way", failed().seek(1000, 0).fail(1102, 2)],
    ["if another try began before the answer", failed().seek(1102, 2).seek(1103, 0).refused(1104, 2)],
    ["if a try before it had an unknown outcome", failed().seek(110, 2).info(120, 2, "acquire").fail(1130, 5)],
    ["if it failed for another reason, and may have held", failed(recorded(), "NOREPLICAS").fail(1102, 2)],
    [
      "after a fault",
      failed()
        .fault(200, "latency", { targets: ["node-0"] })
        .fail(1300, 2),
    ],
    [
      "of a try for several keys",
      failed()
        .seek(1102, 2, { alsoKeys: ["c"] })
        .refused(1103, 2),
    ],
    ["of a history that somebody else recorded", failed(new Recording({ clients: 3 })).fail(1102, 2)],
    ["where no client asked for several", recorded().fail(0, 0).fail(2000, 1)],
  ])("%s", (_, recording) => {
    expect(judged(recording)).toBe("not-applicable");
  });

  it("but a fault that was skipped does not count", () => {
    const skipped = failed().fault(200, "latency", { targets: ["node-0"], outcome: "skipped" });
    expect(judged(skipped.fail(1300, 2))).toMatch(/^invalid/);
  });
});

describe("a release of several keys", () => {
  it("gave back all, or left one behind", () => {
    expect(judged(released().fail(1200, 2))).toMatch(/^invalid; left-behind/);
    const [violation] = violationsOf("all-or-nothing", released().fail(1200, 2));
    expect(violation?.explanation).toContain(
      "Before that, client-0 had released a and b at 111 ms. The release did not give back b.",
    );
    expect(judged(released().acquire(1200, 2, "y"))).toBe("valid");
  });

  it("is no reason once another owner was granted the key since", () => {
    expect(judged(released().acquire(1200, 2, "y").release(1300, 2, "y").fail(2400, 1))).toBe("valid");
  });
});
