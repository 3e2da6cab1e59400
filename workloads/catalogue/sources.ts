/** What the scenarios are taken from. */
export const SOURCES = {
  kleppmann: {
    name: "Martin Kleppmann, How to do distributed locking (2016)",
    link: "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html",
  },
  redisLocks: {
    name: "Redis documentation, Distributed Locks with Redis",
    link: "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/",
  },
  redisPersistence: {
    name: "Redis documentation, Redis persistence",
    link: "https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/",
  },
} as const;
