import { leaseLimits, soundLease, soundLeaseBehindSentinel } from "../claim-tables.ts";
import { leased, limitsOn } from "../lock-kinds.ts";
import type { LibraryWorker } from "./workers.ts";

const TOPOLOGIES = ["single", "sentinel", "redlock"] as const;

/** A mutex on a majority of its servers, of which there may be one. */
const redsync = {
  language: "go",
  topologies: TOPOLOGIES,
  claims: [...soundLease("single"), ...soundLeaseBehindSentinel(), ...soundLease("redlock")],
  limits: TOPOLOGIES.flatMap(leaseLimits),
} as const;

const prefix =
  "obtain.lua of bsm/redislock takes a key whose value begins with the token; worker-10 begins with worker-1";

/** How a holder goes on with a lock that others have had since. */
const RETAKEN = {
  under: "pause-client",
  cause: "foreign-release",
  source: "go-redsync/redsync#149: an extension sets the key again where it is gone, and the holder is never told",
} as const;

/** Locks of Go libraries. */
export const goWorkers: readonly LibraryWorker[] = [
  {
    ...redsync,
    name: "redsync",
    documented:
      "Exclusive use of a resource by the Redlock algorithm, on a majority of pools. An extension sets the full expiry again.",
    title: "redsync 4.18.1, with go-redis 9.23.0",
    program: "redsync",
  },
  {
    ...redsync,
    name: "redsync-setnx-on-extend",
    documented: "The same; an extension sets the key where it has expired.",
    title: "redsync 4.18.1 with WithSetNXOnExtend: an extension may take the lock back",
    program: "redsync-setnx-on-extend",
    claims: redsync.claims.filter(({ property }) => property !== "linearizability"),
    limits: [
      ...limitsOn(TOPOLOGIES, { ...RETAKEN, property: "linearizability" }),
      ...limitsOn(TOPOLOGIES, { ...RETAKEN, property: "lost-updates" }),
      ...redsync.limits,
    ],
  },
  {
    ...leased,
    name: "redislock",
    documented: "Obtains a lock for a TTL; only its token refreshes or releases it.",
    title: "bsm/redislock 0.10.0, with tokens of its own",
    language: "go",
    program: "redislock",
  },
  {
    ...leased,
    name: "redislock-named",
    documented: "The same; a token of the caller's own lets its owner obtain the lock again.",
    title: "bsm/redislock 0.10.0 with names as tokens: worker-1 takes what worker-10 holds",
    language: "go",
    program: "redislock-named",
    claims: leased.claims.filter(({ property }) => property === "deadlock-freedom"),
    limits: [
      ...limitsOn(leased.topologies, {
        property: "lease-exclusion",
        under: "none",
        cause: "double-grant",
        source: prefix,
      }),
      ...leased.limits,
    ],
  },
  {
    ...leased,
    name: "rueidislock",
    documented:
      "A lock that is renewed until it is given back; a context tells the holder at once when it is held no more. Waiting clients are told by client-side caching that it is free.",
    title: "rueidislock of rueidis 1.0.79, one key of 1.5 s, renewed every half",
    language: "go",
    program: "rueidislock",
    renews: true,
  },
];
