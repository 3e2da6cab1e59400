import { expect, test } from "vitest";
// First: it patches the platform.
import { learnSimulated } from "./learn.ts";
import { composeLock } from "../../../lock-impl/parts/compose.ts";
import { ownedKey } from "../../../lock-impl/parts/protocol.ts";
import type { LockClient, LockDriver } from "../../core/lock-driver.ts";
import { topologySchema } from "../../core/topology.ts";
import { skillsOf } from "./systematic-plans.ts";

type Extend = NonNullable<LockClient["extend"]>;

/** Whether a search extends leases of a lock whose extensions end like this; undefined: it has none. */
async function extendsLeases(extend: Extend | undefined): Promise<boolean> {
  const sound = composeLock({ protocol: ownedKey });
  const driver: LockDriver = {
    async connect(environment) {
      const lock = await sound.connect(environment);
      return {
        acquire: lock.acquire.bind(lock),
        release: lock.release.bind(lock),
        ...(extend === undefined ? {} : { extend }),
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
  const drawnFrom = { lock: "./mine.ts", topology: topologySchema.parse({ kind: "single" }), faults: [] };
  return (await skillsOf({ drawnFrom, seed: 1, learn: learnSimulated({ driver }) })).extends;
}

test("a lock that extends leases and reports no result is searched with extensions, too", async () => {
  const ends = [
    undefined,
    async () => ({ type: "info", reason: "it reports no result" }) as const,
    async () => ({ type: "fail", kind: "error", reason: "never" }) as const,
    async (grant: Parameters<Extend>[0]) => ({ type: "ok", value: grant }) as const,
  ];
  const found = [];
  for (const end of ends) found.push(await extendsLeases(end));
  expect(found).toEqual([false, true, false, true]);
});

test("a lock that renews its leases, late, is searched with renewals; as a holder's only if it tells of them", async () => {
  const renewing = (tells: boolean): LockDriver => ({
    async connect(environment) {
      const lock = await composeLock({ protocol: ownedKey }).connect(environment);
      let tell: Parameters<NonNullable<LockClient["onRenewed"]>>[0] = () => {};
      let timer: NodeJS.Timeout | undefined;
      return {
        async acquire(key, options) {
          const granted = await lock.acquire(key, options);
          if (granted.type !== "ok") return granted;
          timer = setInterval(() => {
            void lock.extend!(granted.value, options.ttlMs).then((renewed) => {
              if (renewed.type === "ok") tell({ ...renewed.value, validForMs: options.ttlMs });
            });
          }, 0.8 * options.ttlMs);
          return granted;
        },
        release(grant) {
          clearInterval(timer);
          return lock.release(grant);
        },
        ...(tells ? { onRenewed: (listener) => void (tell = listener) } : {}),
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  });
  const drawnFrom = { lock: "./mine.ts", topology: topologySchema.parse({ kind: "single" }), faults: [] };
  for (const tells of [true, false]) {
    const learn = learnSimulated({ driver: renewing(tells) });
    expect(await skillsOf({ drawnFrom, seed: 1, learn })).toMatchObject({ renews: true, tellsRenewals: tells });
  }
});

test("a driver is asked for what was released only if it answers to that", async () => {
  const answering = async (again: LockClient["release"]): Promise<boolean | undefined> => {
    const driver: LockDriver = {
      async connect(environment) {
        const lock = await composeLock({ protocol: ownedKey }).connect(environment);
        let releases = 0;
        return {
          acquire: lock.acquire.bind(lock),
          release: (grant) => ((releases += 1) === 1 ? lock.release(grant) : again(grant)),
          [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
        };
      },
    };
    const drawnFrom = { lock: "./mine.ts", topology: topologySchema.parse({ kind: "single" }), faults: [] };
    return (await skillsOf({ drawnFrom, seed: 1, learn: learnSimulated({ driver }) })).answersTwice;
  };
  const refusing = async () => ({ type: "ok", value: { released: false } }) as const;
  const throwing = () => Promise.reject(new Error("it is not held"));
  const ending = () => {
    setImmediate(() => {
      throw new Error("there is no such hold");
    });
    return refusing();
  };
  const found = [];
  for (const again of [refusing, throwing, ending, () => new Promise<never>(() => {}), () => undefined as never])
    found.push(await answering(again));
  expect(found).toEqual([true, true, false, false, false]);
});
