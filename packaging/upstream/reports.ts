import type { Property } from "../../harness/core/verdict.ts";

/** How a worker is built, in a folder of the kits. */
type Build =
  | { readonly language: "python"; readonly packages: readonly string[] }
  | { readonly language: "java"; readonly redisson: string }
  | { readonly language: "go"; readonly module: string; readonly modfile?: string }
  /** One that lockstorm ships: `setup --with go`. */
  | { readonly language: "shipped" };

/** A version, or an option, of a library. */
export interface Side {
  /** `3.11.0`, or the option. */
  readonly version: string;
  /** The value of `--lock`: a name, or a worker file from the project's root. */
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

const redisson = (version: string): Side => ({
  version,
  lock: `kits/java/upstream/redisson-${version}.worker.json`,
  build: { language: "java", redisson: version },
});

/** Reports that can be installed in both versions and are told apart by one plan each, on live servers. */
export const upstreamReports: readonly UpstreamReport[] = [
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
];
