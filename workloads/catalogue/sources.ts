/** The sources of the scenarios. */
export const SOURCES = {
  kleppmann: {
    name: "Martin Kleppmann, How to do distributed locking (2016)",
    link: "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html",
  },
  antirez: { name: "Salvatore Sanfilippo, Is Redlock safe? (2016)", link: "http://antirez.com/news/101" },
  redisLocks: {
    name: "Redis documentation, Distributed Locks with Redis",
    link: "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/",
  },
  redisPersistence: {
    name: "Redis documentation, Redis persistence",
    link: "https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/",
  },
  redisReplication: {
    name: "Redis documentation, Redis replication",
    link: "https://redis.io/docs/latest/operate/oss_and_stack/management/replication/",
  },
  redisSentinel: {
    name: "Redis documentation, High availability with Redis Sentinel",
    link: "https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/",
  },
  redisEviction: {
    name: "Redis documentation, Key eviction",
    link: "https://redis.io/docs/latest/develop/reference/eviction/",
  },
  redisExpire: { name: "Redis documentation, EXPIRE", link: "https://redis.io/docs/latest/commands/expire/" },
  redisSetnx: { name: "Redis documentation, SETNX", link: "https://redis.io/docs/latest/commands/setnx/" },
  redisWait: { name: "Redis documentation, WAIT", link: "https://redis.io/docs/latest/commands/wait/" },
  chubby: {
    name: "Mike Burrows, The Chubby lock service for loosely-coupled distributed systems (OSDI 2006), section 2.4",
    link: "https://www.usenix.org/legacy/event/osdi06/tech/burrows.html",
  },
  ddia: {
    name: "Martin Kleppmann and Chris Riccomini, Designing Data-Intensive Applications, 2nd edition, chapter 9",
    link: "https://dataintensive.net/",
  },
  redisSemaphore175: {
    name: "redis-semaphore, issue 175",
    link: "https://github.com/swarthy/redis-semaphore/issues/175",
  },
  redisson4698: { name: "Redisson, issue 4698", link: "https://github.com/redisson/redisson/issues/4698" },
  redisson7272: { name: "Redisson, issue 7272", link: "https://github.com/redisson/redisson/issues/7272" },
  redisson1763: { name: "Redisson, issue 1763", link: "https://github.com/redisson/redisson/issues/1763" },
  redlock369: {
    name: "node-redlock, pull request 369",
    link: "https://github.com/mike-marcacci/node-redlock/pull/369",
  },
  redbeat208: { name: "redbeat, issue 208", link: "https://github.com/sibson/redbeat/issues/208" },
  redsync186: { name: "redsync, issue 186", link: "https://github.com/go-redsync/redsync/issues/186" },
} as const;
