import { describe, expect, it } from "vitest";
import { judge, violationsOf } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";

const exclusion = (recording: Recording): string => judge("mutual-exclusion", recording);

describe("of a lease that a request of unknown outcome may have cut", () => {
  /** The first holder asks for a lease of 30 ms at 10 ms; another is granted the lock at 101 ms. */
  const cut = (answer: (recording: Recording) => Recording, ttlMs = 3000): Recording => {
    const asked = new Recording({ clients: 2 }).acquire(0, 0, "a", { ttlMs }).seekExtension(10, 0, "a", 30);
    return answer(asked);
  };
  const met = (recording: Recording): Recording => recording.acquire(100, 1, "b").release(200, 1, "b");
  const told = (recording: Recording): string => violationsOf("mutual-exclusion", recording)[0]?.explanation ?? "";
  const unanswered = (ttlMs?: number): Recording =>
    met(cut((it) => it.info(20, 0, "extend"), ttlMs)).release(300, 2, "a", false);

  it("may be an overrun, and is not said to be one", () => {
    expect(exclusion(unanswered())).toBe("invalid; overrun 1,2,5");
    const words = told(unanswered());
    expect(words).toContain(
      "The lease of client-0 may have ended at 40 ms already, and not at 3,000 ms: an extension by client-0 (event 2), of which nobody knows whether it took effect, had asked for a shorter lease. Probably: that extension took effect, and its client did not know.",
    );
    expect(words).not.toContain("had ended");
  });

  it("is an overrun from the end that was told, where this was over too", () => {
    expect(told(unanswered(80))).toContain("The lease of client-0 had ended at 80 ms, so");
    expect(told(unanswered(80))).toContain("had outlived its lease by 21 ms then");
  });

  it("is one that was answered later", () => {
    const answered = met(cut((it) => it))
      .extended(250, 0, "a")
      .release(300, 0, "a", false);
    expect(told(answered)).toContain("an extension by client-0 (event 2), which was not answered yet, had asked");
  });

  it("is the lock itself if that request certainly had no effect", () => {
    const failed = met(cut((it) => it))
      .failExtension(250, 0)
      .release(300, 0, "a", false);
    expect(exclusion(failed)).toMatch(/^invalid; double-grant /);
  });

  it("is the other client's fault if its lease was over on arrival, and that request had no effect", () => {
    const late = new Recording({ clients: 2 })
      .seek(0, 1, { ttlMs: 20 })
      .acquire(20, 0, "a", { ttlMs: 3000 })
      .seekExtension(46, 0, "a", 20)
      .granted(66, 1, "b")
      .failExtension(121, 0);
    expect(exclusion(late)).toMatch(/^invalid; overrun /);
    expect(told(late)).toContain("When the grant reached client-1 its lease was already over");
  });

  it("is an overrun if the other's lease may have been cut, and that request had no effect", () => {
    const both = new Recording({ clients: 3 })
      .seek(0, 1, { ttlMs: 20 })
      .info(1, 1, "acquire")
      .seek(2, 4, { ttlMs: 400 })
      .acquire(40, 2, "a", { ttlMs: 100 })
      .seekExtension(42, 2, "a", 20)
      .granted(62, 4, "b")
      .failExtension(141, 2);
    expect(exclusion(both)).toMatch(/^invalid; overrun /);
    expect(told(both)).toContain("The lease of client-1 may have ended at 22 ms already");
  });

  it("is an overrun if another request may have cut it too, and the shortest had no effect", () => {
    const twice = cut((it) => it.info(20, 0, "extend"))
      .seekExtension(30, 2, "a", 5)
      .acquire(100, 1, "b")
      .failExtension(250, 2)
      .release(300, 2, "a", false);
    expect(exclusion(twice)).toMatch(/^invalid; overrun /);
    expect(told(twice)).toContain(
      "may have ended at 40 ms already, and not at 3,000 ms: an extension by client-0 (event 2)",
    );
  });

  it("may be a fault of the server just as well", () => {
    const struck = met(cut((it) => it.info(20, 0, "extend").fault(50, "restart-node"))).release(300, 2, "a", false);
    expect(violationsOf("mutual-exclusion", struck)[0]?.hypotheses?.map(({ cause }) => cause)).toEqual([
      "overrun",
      "lost-in-restart",
    ]);
  });

  it("may have been cut by an acquire before its grant arrived", () => {
    const late = new Recording({ clients: 3 })
      .seek(0, 0, { ttlMs: 20 })
      .info(1, 0, "acquire")
      .acquire(2, 1, "b")
      .seek(3, 3, { ttlMs: 400 })
      .granted(43, 3, "a")
      .release(60, 1, "b")
      .release(70, 3, "a");
    expect(told(late)).toContain(
      "The lease of client-0 may have ended at 23 ms already, and not at 403 ms: an acquire by client-0 (event 0), of which nobody knows whether it took effect, had asked",
    );
  });
});
