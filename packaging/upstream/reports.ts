import type { Property } from "../../harness/core/verdict.ts";

/** How a worker is built, in a folder of the kits, or what a driver loads is installed. */
export type Build =
  | { readonly language: "python"; readonly packages: readonly string[] }
  | { readonly language: "java"; readonly redisson: string }
  | { readonly language: "go"; readonly module: string; readonly modfile?: string }
  /** A driver in npm/, and the packages that it loads. */
  | { readonly language: "npm"; readonly packages: readonly string[] }
  /** One that lockstorm ships: `setup --with go`. */
  | { readonly language: "shipped" }
  /** One whose package is among those of this project. */
  | { readonly language: "here" };

/** A version, or an option, of a library. */
export interface Side {
  /** `3.11.0`, or the option. */
  readonly version: string;
  /** The value of `--lock`: a name, or a worker file or driver from the project's root. */
  readonly lock: string;
  readonly build: Build;
}

/** What a user reported of a lock library, with a version that has it and one that has not. */
export interface UpstreamReport {
  /** Its name for `npm run upstream`. */
  readonly name: string;
  readonly library: string;
  /** What it says, in our words. */
  readonly says: string;
  readonly url: string;
  readonly red: Side;
  readonly green: Side;
  /** A plan from the project's root, or the slug of a scenario of the catalogue. */
  readonly plan: string;
  /** What the red version breaks and the green one keeps. */
  readonly property: Property;
}

const redsync40 = (version: string, modfile?: string): Side => ({
  version,
  lock: `kits/go/upstream/redsync-${version}.worker.json`,
  build: { language: "go", module: "upstream/redsync-4.0", ...(modfile === undefined ? {} : { modfile }) },
});

const goZero = (version: string, module: string, modfile?: string): Side => ({
  version,
  lock: `kits/go/upstream/go-zero-${version}.worker.json`,
  build: { language: "go", module: `upstream/${module}`, ...(modfile === undefined ? {} : { modfile }) },
});

const redislock = (version: string): Side => ({
  version,
  lock: `kits/go/upstream/redislock-${version}.worker.json`,
  build: { language: "go", module: "locks", modfile: `../upstream/redislock-${version}.mod` },
});

const python = (name: string, version: string, ...packages: readonly string[]): Side => ({
  version,
  lock: `kits/python/upstream/${name}-${version}.worker.json`,
  build: { language: "python", packages },
});

const redisson = (version: string, use = ""): Side => ({
  version,
  lock: `kits/java/upstream/redisson-${version}${use}.worker.json`,
  build: { language: "java", redisson: version },
});

const npm = (name: string, version: string): Side => ({
  version,
  lock: `packaging/upstream/npm/${name}-${version}.ts`,
  build: { language: "npm", packages: [`${name}@${version}`] },
});

/** Reports that can be installed in both versions and are told apart by one plan each. */
export const upstreamReports: readonly UpstreamReport[] = [
  {
    name: "node-redlock-296",
    library: "redlock",
    says: "version 5 counts a lease from before the first try: after some tries it gives locks that are over",
    url: "https://github.com/mike-marcacci/node-redlock/issues/296",
    red: { version: "5.0.0-beta.2", lock: "redlock5", build: { language: "here" } },
    green: {
      version: "1.4.0 of its fork @sesamecare-oss/redlock",
      lock: "sesamecare-redlock",
      build: { language: "here" },
    },
    plan: "docs/locks/plans/redlock5.json",
    property: "lease-exclusion",
  },
  {
    name: "node-redlock-369",
    library: "redlock",
    says: "version 5 does not compare the time that an acquisition took with the lease, and gives locks that are over",
    url: "https://github.com/mike-marcacci/node-redlock/pull/369",
    red: { version: "5.0.0-beta.2", lock: "redlock5", build: { language: "here" } },
    green: { version: "4.2.0", lock: "redlock4", build: { language: "here" } },
    plan: "bad-elapsed-check",
    property: "lease-exclusion",
  },
  {
    name: "redis-semaphore-175",
    library: "redis-semaphore",
    says: "a mutex whose lease has ended takes it again when it renews, and does not tell that others had it meanwhile",
    url: "https://github.com/swarthy/redis-semaphore/issues/175",
    red: { version: "5.3.0", lock: "redis-semaphore-530", build: { language: "here" } },
    green: { version: "5.8.0", lock: "redis-semaphore", build: { language: "here" } },
    plan: "docs/locks/plans/redis-semaphore-530.json",
    property: "linearizability",
  },
  {
    name: "redis-lock-11",
    library: "redis-lock",
    says: "the end of a lease is a time in the key, by its client's clock; SET with PX leaves it to the server",
    url: "https://github.com/errorception/redis-lock/pull/11",
    red: npm("redis-lock", "0.0.9"),
    green: npm("redis-lock", "0.1.0"),
    plan: "packaging/upstream/npm/clock-ahead.json",
    property: "lease-exclusion",
  },
  {
    name: "redsync-61",
    library: "redsync",
    says: "an extension of a lock that another client has answers true",
    url: "https://github.com/go-redsync/redsync/pull/61",
    red: redsync40("4.0.3"),
    green: redsync40("4.0.4", "../redsync-4.0.4.mod"),
    plan: "renew-set-xx",
    property: "lease-exclusion",
  },
  {
    name: "redsync-149",
    library: "redsync",
    says: "an extension takes back a lock that another client has had meanwhile",
    url: "https://github.com/go-redsync/redsync/pull/149",
    red: { version: "4.18.1, `WithSetNXOnExtend`", lock: "redsync-setnx-on-extend", build: { language: "shipped" } },
    green: { version: "4.18.1 without it", lock: "redsync", build: { language: "shipped" } },
    plan: "renew-recreates",
    property: "linearizability",
  },
  {
    name: "redislock-71",
    library: "bsm/redislock",
    says: "a token that begins another client's token takes its lock",
    url: "https://github.com/bsm/redislock/pull/71",
    red: redislock("0.9.4"),
    green: redislock("0.9.3"),
    plan: "kits/go/upstream/names-begin-alike.json",
    property: "lease-exclusion",
  },
  {
    name: "go-zero-1338",
    library: "go-zero",
    says: "`RedisLock` may be taken again by its holder, and the first release frees it",
    url: "https://github.com/zeromicro/go-zero/issues/1338",
    red: goZero("1.2.4", "go-zero-1.2"),
    green: goZero("1.2.5", "go-zero-1.2", "../go-zero-1.2.5.mod"),
    plan: "kits/go/upstream/taken-while-held.json",
    property: "lease-exclusion",
  },
  {
    name: "go-zero-1704",
    library: "go-zero",
    says: "`RedisLock` counts acquisitions itself: after its lease it is taken again without asking the server",
    url: "https://github.com/zeromicro/go-zero/pull/1704",
    red: goZero("1.3.1", "go-zero-1.3"),
    green: goZero("1.3.2", "go-zero-1.3", "../go-zero-1.3.2.mod"),
    plan: "kits/go/upstream/taken-again-when-over.json",
    property: "lease-exclusion",
  },
  {
    name: "redisson-2172",
    library: "Redisson",
    says: "`RedissonRedLock.tryLock(-1, leaseTime)` gives the lock to several threads at a time",
    url: "https://github.com/redisson/redisson/issues/2172",
    red: redisson("3.11.0"),
    green: redisson("3.11.1"),
    plan: "kits/java/upstream/redlock-for-two.json",
    property: "lease-exclusion",
  },
  {
    name: "redisson-2144",
    library: "Redisson",
    says: "a reader with a short lease ends the lease of a reader with a long one, and a writer gets in",
    url: "https://github.com/redisson/redisson/issues/2144",
    red: redisson("3.11.0", "-read-write"),
    green: redisson("3.11.1", "-read-write"),
    plan: "kits/java/upstream/long-and-short-reader.json",
    property: "lease-exclusion",
  },
  {
    name: "redisson-2515",
    library: "Redisson",
    says: "after a renewal that failed, and an `unlock` of a lock that was gone, the watchdog does not renew the lock when it is taken again",
    url: "https://github.com/redisson/redisson/issues/2515",
    red: redisson("3.12.0"),
    green: redisson("3.12.1"),
    plan: "kits/java/upstream/held-again-after-a-loss.json",
    property: "lease-exclusion",
  },
  {
    name: "redisson-3194",
    library: "Redisson",
    says: "after a renewal that failed, the watchdog does not renew the lock when it is taken again without an `unlock`",
    url: "https://github.com/redisson/redisson/issues/3194",
    red: redisson("3.13.6"),
    green: redisson("3.14.0"),
    plan: "kits/java/upstream/taken-while-held.json",
    property: "lease-exclusion",
  },
  {
    name: "redisson-3712",
    library: "Redisson",
    says: "after a lock was lost at the server, the watchdog does not renew it when it is taken again without an `unlock`",
    url: "https://github.com/redisson/redisson/issues/3712",
    red: redisson("3.16.0"),
    green: redisson("3.16.1"),
    plan: "kits/java/upstream/taken-while-held.json",
    property: "lease-exclusion",
  },
  {
    name: "redisson-2714",
    library: "Redisson",
    says: "the watchdog renews for ever what a `tryLock` took that was interrupted",
    url: "https://github.com/redisson/redisson/issues/2714",
    red: redisson("3.16.2"),
    green: redisson("3.16.3"),
    plan: "kits/java/upstream/interrupted.json",
    property: "deadlock-freedom",
  },
  {
    name: "redisson-4197",
    library: "Redisson",
    says: "`RedissonSpinLock.tryLock` answers false when it was granted the lock too late, and renews it for ever",
    url: "https://github.com/redisson/redisson/issues/4197",
    red: redisson("3.17.0", "-spin"),
    green: redisson("3.17.1", "-spin"),
    plan: "kits/java/upstream/granted-too-late.json",
    property: "deadlock-freedom",
  },
  {
    name: "redisson-4217",
    library: "Redisson",
    says: "a read lock that was taken before its write lock was given back is renewed no more",
    url: "https://github.com/redisson/redisson/issues/4217",
    red: redisson("3.17.0"),
    green: redisson("3.17.1"),
    plan: "kits/java/upstream/read-after-writing.json",
    property: "lease-exclusion",
  },
  {
    name: "redisson-4818",
    library: "Redisson",
    says: "without a lease time an `RLock` has the one of the time before, which was an hour: a client that dies leaves it locked",
    url: "https://github.com/redisson/redisson/issues/4818",
    red: redisson("3.19.1"),
    green: redisson("3.19.2"),
    plan: "kits/java/upstream/killed-at-once.json",
    property: "deadlock-freedom",
  },
  {
    name: "redisson-5484",
    library: "Redisson",
    says: "`RedissonMultiLock.lock(leaseTime, SECONDS)` locks for as many milliseconds",
    url: "https://github.com/redisson/redisson/issues/5484",
    red: redisson("3.25.0"),
    green: redisson("3.25.1"),
    plan: "kits/java/upstream/taken-while-held.json",
    property: "lease-exclusion",
  },
  {
    name: "redisson-5623",
    library: "Redisson",
    says: "who takes an `RLock` with a lease time again, and gives that back, has the time-out of the watchdog instead",
    url: "https://github.com/redisson/redisson/issues/5623",
    red: redisson("3.26.0"),
    green: redisson("3.27.2"),
    plan: "kits/java/upstream/taken-while-held.json",
    property: "lease-exclusion",
  },
  {
    name: "redisson-6144",
    library: "Redisson",
    says: "after one thread took an `RLock` twice and gave it back twice, the watchdog does not renew it for the next thread",
    url: "https://github.com/redisson/redisson/issues/6144",
    red: redisson("3.45.1"),
    green: redisson("3.46.0"),
    plan: "kits/java/upstream/taken-while-held.json",
    property: "lease-exclusion",
  },
  {
    name: "redis-py-554",
    library: "redis-py",
    says: "`redis.lock.Lock` sets its timeout in a second command: a client that dies between them leaves a lock for ever",
    url: "https://github.com/redis/redis-py/issues/554",
    red: python("redis-py", "2.10.6", "redis==2.10.6"),
    green: python("redis-py", "3.0.0", "redis==3.0.0"),
    plan: "setnx-expire-crash",
    property: "deadlock-freedom",
  },
  {
    name: "redis-py-3847",
    library: "redis-py",
    says: "the asyncio lock forgets its token before it releases: one whose release was cancelled stays locked, and cannot be released again",
    url: "https://github.com/redis/redis-py/issues/3847",
    red: python("redis-py", "7.1.1", "redis==7.1.1"),
    green: python("redis-py", "7.2.0", "redis==7.2.0"),
    plan: "kits/python/upstream/release-cancelled.json",
    property: "deadlock-freedom",
  },
  {
    name: "sherlock-66",
    library: "sherlock",
    says: "`RedisLock.renew` runs the script that releases, and answers that it has renewed",
    url: "https://github.com/py-sherlock/sherlock/issues/66",
    red: python("sherlock", "0.4.0", "sherlock==0.4.0", "redis==4.6.0"),
    green: python("sherlock", "0.4.1", "sherlock==0.4.1", "redis==4.6.0"),
    plan: "kits/python/upstream/renewed-away.json",
    property: "lease-exclusion",
  },
  {
    name: "python-redis-lock-24",
    library: "python-redis-lock",
    says: "automatic renewal is a SET with XX, which takes the lock from whoever has it now; `extend` compares the owner",
    url: "https://github.com/ionelmc/python-redis-lock/pull/24",
    red: python("python-redis-lock", "2.3.0", "python-redis-lock==2.3.0", "redis==2.10.6"),
    green: python("python-redis-lock", "3.0.0", "python-redis-lock==3.0.0", "redis==2.10.6"),
    plan: "kits/python/upstream/renewed-by-set-xx.json",
    property: "lease-exclusion",
  },
  {
    name: "retools-18",
    library: "retools",
    says: "clients whose clocks differ take each other's locks",
    url: "https://github.com/bbangert/retools/issues/18",
    red: python("retools", "0.3", "retools==0.3", "redis==2.10.6"),
    green: python("retools", "0.4", "retools==0.4", "redis==2.10.6"),
    plan: "kits/python/upstream/clock-ahead.json",
    property: "lease-exclusion",
  },
];
