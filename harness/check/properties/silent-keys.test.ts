import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { Recording } from "../testing/recording.ts";

/** What `deadlock-freedom` says of a history whose clients were stopped at that time. */
function judged(recording: Recording, atMs: number): string {
  const { history } = recording;
  const at = atMs * 1_000_000;
  const end = {
    index: history.events.length,
    time: at,
    process: "harness",
    type: "end",
    value: { run: "completed", at },
  };
  const found = checkHistory({ ...history, end } as Parameters<typeof checkHistory>[0]).properties["deadlock-freedom"];
  return [found?.verdict, found?.reason].join(": ").replace(/: $/, "");
}

/** Granted, refused and released until 50 ms, with leases of a second: from 3,050 ms on nobody can hold it. */
const used = (facts: ConstructorParameters<typeof Recording>[0] = {}): Recording =>
  new Recording({ clients: 3, topology: "single", backend: "simulated", ...facts })
    .acquire(0, 0, "a")
    .seek(10, 1)
    .refused(11, 1)
    .release(49, 0, "a");

const failed = (recording: Recording, atMs: number, process: number, reason = "no answer"): Recording =>
  recording.seek(atMs, process).refused(atMs + 10, process, reason);

describe("a lock that answers no request any more", () => {
  it("is not said to become free", () => {
    expect(judged(failed(failed(used(), 4000, 1), 5000, 2), 6000)).toBe(
      "unknown: no client was granted k after 50 ms, or told that another client holds it: 2 requests until 5,010 ms ended otherwise or never, " +
        "although no lease that is known of was in force any more; the lock may be stuck, or out of reach",
    );
    const unknown = used().seek(4000, 1).info(4500, 1, "acquire").seek(5000, 4).info(5500, 4, "acquire");
    expect(judged(unknown, 6000)).toMatch(/^unknown: no client was granted k after 50 ms/);
    expect(judged(used().seek(4000, 1).seek(4500, 2), 4600)).toMatch(/^unknown: .*: 2 requests until 4,600 ms/);
  });

  it("may have left one request unanswered by chance, but none for long", () => {
    expect(judged(failed(used(), 4000, 1), 9000)).toBe("valid");
    expect(judged(used().seek(4000, 1), 5999)).toBe("valid");
    expect(judged(used().seek(4000, 1), 6001)).toMatch(/^unknown: .*: 1 request until 6,001 ms/);
  });

  it("may not have woken the clients that waited", () => {
    const waiting = new Recording({ clients: 3, topology: "single", backend: "simulated" })
      .acquire(0, 0, "a")
      .seek(10, 1, { waitMs: 60_000 })
      .seek(11, 2, { waitMs: 60_000 })
      .release(49, 0, "a");
    expect(judged(waiting, 3040)).not.toMatch(/^unknown/);
    expect(judged(waiting, 3060)).toMatch(/^unknown: .*: 2 requests until 3,060 ms/);
  });
});

describe("a lock is not said to answer no request any more", () => {
  it("while a lease may be in force, or a client holds", () => {
    expect(judged(failed(failed(used(), 2000, 1), 3030, 2), 3100)).toBe("valid");
    const held = used().acquire(100, 0, "b").extend(4500, 0, "b", { ttlMs: 1000 });
    expect(judged(failed(failed(held, 8000, 1), 9000, 2), 10_000)).toBe("valid");
  });

  it("once it has answered: by a grant, a refusal or a release", () => {
    const silent = (): Recording => failed(failed(used(), 4000, 1), 5000, 2);
    expect(judged(silent().acquire(6000, 0, "c").release(6010, 0, "c"), 7000)).toBe("valid");
    expect(judged(silent().seek(6000, 0).refused(6001, 0, "contended-one-of-several"), 7000)).toBe("valid");
    expect(judged(silent().release(6000, 0, "a", false), 7000)).toBe("valid");
  });

  it("because of requests whose clients went on under another process number", () => {
    const waited = (): Recording => new Recording({ clients: 3, topology: "single" }).seek(0, 1).seek(1, 2);
    const gone = waited().acquire(5, 4, "b").release(8, 4, "b").acquire(10, 5, "c").release(20, 5, "c");
    expect(judged(gone, 60_000)).toBe("valid");
    const stayed = waited().acquire(10, 0, "c").release(20, 0, "c");
    expect(judged(stayed, 60_000)).toMatch(/^unknown/);
  });

  it("because one client fails after a fault", () => {
    const faulty = (): Recording =>
      used()
        .fault(60, "pause-client", { processes: [1] })
        .fault(70, "pause-client", { processes: [1], phase: "heal" })
        .acquire(80, 0, "b")
        .release(90, 0, "b");
    expect(judged(failed(failed(faulty(), 4000, 1), 5000, 1), 6000)).toBe("valid");
    expect(judged(failed(failed(faulty(), 4000, 1), 5000, 2), 6000)).toMatch(/^unknown/);
    expect(judged(failed(failed(used(), 4000, 1), 5000, 1), 6000)).toMatch(/^unknown/);
  });

  it("where leases do not end by themselves and a request of unknown outcome may have taken it", () => {
    const ttlMs = 1_000_000_000;
    const endless = (): Recording =>
      new Recording({ clients: 3, topology: "single", backend: "simulated" })
        .acquire(0, 0, "a", { ttlMs })
        .release(10, 0, "a");
    const open = endless().seek(4000, 1, { ttlMs }).seek(4001, 2, { ttlMs });
    expect(judged(open, 5000)).toMatch(/^unknown/);
    const taken = endless().seek(20, 1, { ttlMs }).info(30, 1, "acquire");
    expect(judged(taken.seek(4000, 4, { ttlMs }).seek(4001, 2, { ttlMs }), 5000)).not.toMatch(/^unknown/);
  });

  it("because of the last requests of a few of many keys, where as many others had no answer either", () => {
    const lossy = (keys: number, silent: number): Recording => {
      const recording = new Recording({ clients: 3, topology: "single", backend: "simulated" });
      const request = (key: string, atMs: number, process: number, isAnswered: boolean): unknown =>
        isAnswered
          ? recording
              .on(key)
              .acquire(atMs, process, `o${atMs}`)
              .release(atMs + 10, process, `o${atMs}`)
          : recording
              .on(key)
              .seek(atMs, process)
              .info(atMs + 10, process, "acquire");
      // Each fifth request has no answer, and of the last keys none of the last two.
      for (let key = 0; key < keys; key += 1) {
        for (let turn = 0; turn < 5; turn += 1) {
          const atMs = (5 * key + turn) * 5000;
          request(`k${key}`, atMs, 3 * (5 * key + turn), key >= keys - silent ? turn < 3 : turn !== 2);
        }
      }
      return recording;
    };
    const atMs = 50 * 5 * 5000;
    expect(judged(lossy(50, 1), atMs)).toBe("valid");
    expect(judged(lossy(50, 20), atMs)).toMatch(/^unknown: no client was granted k30 /);
    expect(judged(lossy(1, 1), atMs)).toMatch(/^unknown/);
  });
});
