import { expect, test } from "vitest";
import type { LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { conformDriver } from "./conform-driver.ts";
import { driverWith, renewing } from "./testing/right-drivers.ts";

/** What one check of the list found. */
async function found(check: string, driver: LockDriver) {
  const topology = topologySchema.parse({ kind: "single" });
  const { checks } = await conformDriver({ lock: "mine", topology, seed: 3, driver });
  return checks.find(({ name }) => name === check);
}

/** A library that waits for ever: its driver answers `info` when its own timer is over, and `late` sees what is granted then. */
function impatient(
  forMs: (waitMs: number) => number,
  late: (release: () => Promise<unknown>) => void = (release) => void release(),
): LockDriver {
  return driverWith((_, right) => ({
    acquire: async (key, options) => {
      const forEver = right.acquire(key, { ...options, waitMs: 1e6 });
      let isOver = false;
      void forEver.then((answer) => {
        if (isOver && answer.type === "ok") late(() => right.release(answer.value));
      });
      const timer = new Promise<undefined>(
        (resolve) => void setTimeout(() => resolve(undefined), forMs(options.waitMs)),
      );
      const answer = await Promise.race([forEver, timer]);
      isOver = answer === undefined;
      return answer ?? { type: "info", reason: "gave up" };
    },
  }));
}

test("a driver that gives up a try before its answer can come makes a mistake", async () => {
  const driver = impatient((waitMs) => waitMs + 10);
  expect(await found("one-try", driver)).toMatchObject({
    outcome: "mistake",
    details: [expect.stringMatching(/info \(gave up\) after 10 ms.*its reply/)],
  });
});

test("a driver that waits for the answer of its try makes none", async () => {
  const driver = impatient((waitMs) => waitMs + 1000);
  expect(await found("one-try", driver)).toMatchObject({ outcome: "passed" });
  expect((await found("giving-up", driver))?.outcome).toBe("remark");
});

test("a driver that keeps a lock which is granted after it gave up makes a mistake", async () => {
  const driver = impatient(
    (waitMs) => waitMs + 500,
    () => {},
  );
  expect(await found("giving-up", driver)).toMatchObject({
    outcome: "mistake",
    details: [expect.stringContaining("granted the lock after it had given up")],
  });
});

test("a driver that gives a late grant back is right, even if that takes it a second", async () => {
  const driver = impatient(
    (waitMs) => waitMs + 500,
    (release) => void setTimeout(() => void release(), 1800),
  );
  expect((await found("giving-up", driver))?.outcome).toBe("remark");
});

test.each([
  ["all clients are as late, on a busy machine", true, "passed", /^$/],
  ["other clients are not late", false, "mistake", /^acquire took 3,0\d\d ms, with waitMs 500$/],
] as const)("a driver that gives up late, where %s", async (_, areAllLate, outcome, words) => {
  const late = driverWith((_, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      const isLate = options.waitMs === 500 || (areAllLate && options.ttlMs === 1000);
      if (isLate) await new Promise((resolve) => setTimeout(resolve, 2500));
      return answer;
    },
  }));
  const { outcome: got, details } = (await found("giving-up", late)) ?? {};
  expect([got, details?.join("\n")]).toEqual([outcome, expect.stringMatching(words)]);
});

test("an extension of which the library says nothing is a remark", async () => {
  const driver = driverWith((_, right) => ({
    extend: async (...args) => {
      await right.extend!(...args);
      return { type: "info", reason: "extend() says nothing" };
    },
  }));
  expect(await found("extension", driver)).toMatchObject({
    outcome: "remark",
    details: [expect.stringContaining("extend() says nothing")],
  });
});

test("the commands of a lock that renews its lease without pause are counted", { tags: "long" }, async () => {
  const driver = driverWith((_, right) => ({
    acquire: async (key, options) => {
      const answer = await right.acquire(key, options);
      const renew = async (): Promise<void> => {
        if (answer.type === "ok" && (await right.extend!(answer.value, options.ttlMs)).type === "ok") await renew();
      };
      void renew();
      return answer;
    },
  }));
  const { details = [], outcome } = (await found("renewal", driver)) ?? {};
  expect(outcome).toBe("remark");
  expect(details).toContainEqual(
    expect.stringMatching(/^while the lock is held, its holder sends \d+ commands per second/),
  );
  const unhurried = await found(
    "renewal",
    renewing((renewed) => renewed),
  );
  expect(unhurried).toMatchObject({ outcome: "passed" });
});

test.each(["contention", "giving-up", "foreign-release"])(
  "%s accuses nobody where an answer comes so late that the lease is over before the next client asks, and blames no busy machine in simulation",
  async (check) => {
    const late = driverWith((_, right) => ({
      acquire: async (key, options) => {
        const answer = await right.acquire(key, options);
        if (answer.type === "ok" && options.waitMs !== 500) await new Promise((resolve) => setTimeout(resolve, 3000));
        return answer;
      },
    }));
    expect(await found(check, late)).toMatchObject({
      outcome: "skipped",
      details: [
        expect.stringMatching(
          /^the driver's answers came too late for this check, or the lease is too short for it: the lease it is about was over for [\d,]+ ms/,
        ),
      ],
    });
  },
);

test.each([
  [
    "kept for a minimum time is a remark",
    1000,
    "remark",
    /did not free the lock at once, but within 1,\d\d\d ms.*minimum time/,
  ],
  ["not freed before its lease ends is a mistake", 60_000, "mistake", /after the release, acquire answered contended/],
] as const)("a released lock that is %s", async (_, leastMs, outcome, words) => {
  const kept = driverWith((redis) => ({
    release: async ({ key }) => {
      await redis.pexpire(key, leastMs, "LT");
      return { type: "ok", value: { released: true } };
    },
  }));
  expect(await found("release", kept)).toMatchObject({ outcome, details: [expect.stringMatching(words)] });
});

test.each(["acquire", "extend"] as const)("nor does extension, if %s takes longer than the lease", async (slow) => {
  const late = driverWith((_, right) => ({
    [slow]: async (...words: never[]) => {
      const answer = await (right[slow] as (...words: never[]) => Promise<unknown>)(...words);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      return answer;
    },
  }));
  expect(await found("extension", late)).toMatchObject({
    outcome: "skipped",
    details: [expect.stringContaining("the driver's answers came too late")],
  });
});

test("a driver that waits for a held lock however short waitMs is makes a mistake", async () => {
  const patient = driverWith((_, right) => ({
    acquire: (key, options) => right.acquire(key, { ...options, waitMs: 1e6 }),
  }));
  expect(await found("contention", patient)).toMatchObject({
    outcome: "mistake",
    details: [expect.stringMatching(/^acquire took 2,5\d\d ms, although waitMs was 0$/)],
  });
  expect(await found("giving-up", patient)).toMatchObject({
    outcome: "mistake",
    details: [expect.stringMatching(/^acquire took 2,5\d\d ms, with waitMs 500$/)],
  });
});
