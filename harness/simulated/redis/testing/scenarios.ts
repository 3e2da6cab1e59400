import { queued, raw, type Scenario, steps } from "./scenario.ts";

/** Behaviour that needs several connections, a state, or bytes that are not a command. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "publish and subscribe, RESP2",
    steps: steps(`
      a subscribe one two one
      a psubscribe t* x*
      b publish two hello
      b publish nobody x
      b pubsub channels t*
      b pubsub channels nothing*
      b pubsub numsub one two three
      b pubsub numpat
      b pubsub nonesuch
      b pubsub channels a b
      a get k
      a ping
      a ping hello
      a subscribe
      a unsubscribe one
      a unsubscribe nothere
      a unsubscribe
      a punsubscribe x*
      a punsubscribe
      a get k
      a unsubscribe
      a punsubscribe x
      a ssubscribe s1
      b spublish s1 m
      b pubsub shardchannels
      b pubsub shardnumsub s1 s9
      a sunsubscribe
      a sunsubscribe
      a set k v
      a reset
      a get k`),
  },
  {
    name: "publish and subscribe, RESP3",
    steps: steps(`
      a hello 3
      a subscribe one
      a get k
      a publish one myself
      b publish one other
      a psubscribe o*
      a publish one twice
      a unsubscribe
      a punsubscribe
      a ping
      a reset
      a ping`).filter((step) => step.send?.[1] !== "myself"),
  },
  {
    name: "keyspace events",
    config: { "notify-keyspace-events": "KEA" },
    steps: steps(`
      a psubscribe __key*
      b set k v
      b set k v px 1000
      b expire k 5
      b persist k
      b rename k l
      b del l nothere
      b lpush q 1 2
      b rpop q 5
      b hset h f v
      b hdel h f
      b zadd z 1 m
      b zincrby z 2 m
      b sadd s 1 2 3
      b spop s 3
      b incr n
      b append n 1
      b getset n 2
      b getdel n
      b mset x 1 y 2
      b copy x w
      b move x 1
      b flushall
      b eval redis.call('set','k','v'); 0
      b config set notify-keyspace-events Kg$m
      b set k 1
      b get nothere
      b config get notify-keyspace-events
      b config set notify-keyspace-events bogus
      b config set notify-keyspace-events AKEn
      b config get notify-keyspace-events`),
  },
  {
    name: "expiry to the millisecond",
    config: { "notify-keyspace-events": "KEx" },
    steps: [
      ...steps("b psubscribe __key*\na set k v px 10\na set l v px 10\na pttl k"),
      { on: "a", send: ["get", "k"], advanceMs: 10 },
      ...steps("a pttl k\na ttl k\na expire k 0\na get k\na set k v px 10"),
      { on: "a", send: ["dbsize"], advanceMs: 11 },
      ...steps("a exists k l\na dbsize\na set k v ex 1"),
      { on: "a", send: ["ttl", "k"], advanceMs: 500 },
      { on: "a", send: ["ttl", "k"], advanceMs: 1 },
      { on: "a", send: ["set", "k", "w", "nx"], advanceMs: 499 },
      { on: "a", send: ["set", "k", "w", "nx"], advanceMs: 1 },
      ...steps("a persist k\na pexpire k 5"),
      {
        on: "a",
        send: ["eval", "return {redis.call('get', KEYS[1]), redis.call('pttl', KEYS[1])}", "1", "k"],
        advanceMs: 5,
      },
      {
        on: "a",
        send: ["eval", "return {redis.call('get', KEYS[1]), redis.call('pttl', KEYS[1])}", "1", "k"],
        advanceMs: 1,
      },
    ],
  },
  {
    name: "transactions",
    steps: [
      ...steps("a exec\na discard\na unwatch"),
      ...queued("a", "a multi\na multi\na watch k\na set k 1\na get k\na nosuch\na get"),
      ...steps("a exec"),
      ...queued("a", "a multi\na set k 1\na lpush k x\na incr k"),
      ...steps("a exec"),
      ...queued("a", "a multi\na set k 2"),
      ...steps("a discard\na get k\na watch k\nb set k 3"),
      ...queued("a", "a multi\na set k 4"),
      ...steps("a exec\na get k\na watch k\na unwatch\nb set k 5"),
      ...queued("a", "a multi\na set k 6"),
      ...steps("a exec\na get k\na set e v px 100\na watch e"),
      ...queued("a", "a multi\na get e"),
      { on: "a", send: ["exec"], advanceMs: 200 },
      ...steps("a set e v px 100"),
      { on: "b", send: ["ping"], advanceMs: 101 },
      ...steps("a watch e"),
      ...queued("a", "a multi\na set q 1"),
      ...steps("a exec\na watch e\nb set e 2"),
      ...queued("a", "a multi\na set q 2"),
      ...steps("a exec\na watch q"),
      ...steps("b flushall"),
      ...queued("a", "a multi\na get q"),
      ...steps("a exec"),
      ...queued("a", "a multi\na eval return(redis.call('incr','n')) 0\na select 1\na set k db1"),
      ...steps("a exec\na get k\na select 0\na get k"),
      ...queued("a", "a multi\na exec x"),
      ...steps("a exec"),
      ...queued("a", "a multi\na hello 3"),
      ...steps("a exec\na get k"),
    ],
  },
  {
    name: "passwords",
    config: {},
    steps: [
      ...steps(`
      a auth x
      a auth default x
      a auth nobody x
      a config set requirepass secret
      a get k
      b get k`),
      ...steps(`
      a auth wrong
      a auth default wrong
      a auth secret
      a auth default secret
      a hello 3 auth default wrong
      a hello 2 auth default secret setname me
      a client getname
      a hello 2 setname bad\u0001name
      a hello 9
      a hello x
      a hello 3 foo
      a config set requirepass ''`),
    ],
  },
  {
    name: "the connection itself",
    steps: [
      ...steps(`
      a client setname with\tblank
      a client setname me
      a client getname
      a client nonesuch
      a client
      a client reply
      a client reply maybe
      a client no-evict on
      a client no-evict x
      a client kill 1.2.3.4:5
      a client kill id 999999
      a client kill type nonesuch
      a client kill type pubsub
      a client kill id x
      a client kill addr
      a client unblock 999999
      a client unblock x
      a client unblock 1 maybe
      a client list type nonesuch
      a client list id x
      a client pause x
      a client pause -1
      a client pause 0 maybe
      a client unpause
      a select 99
      a select x
      a echo
      a ping 1 2
      a quit2
      a command count x
      a object
      a object help2
      a object encoding nothere
      a config
      a config get
      a config set
      a config set maxmemory
      a config set nonesuch 1
      a config set maxmemory x
      a config set maxmemory 1 maxmemory 2
      a config set appendfsync never
      a config set replica-read-only maybe
      a config set hz x
      a config set min-replicas-to-write -1
      a config get maxmemory
      a config get min-slaves-to-write
      a config set min-slaves-to-write 0
      a config set appenddirname x
      a config nonesuch
      a debug nonesuch
      a script nonesuch
      a script flush now
      a script exists
      a script exists x
      a script load x=
      a evalsha 0123456789012345678901234567890123456789 0
      a evalsha x 0
      a eval return 2
      a eval return x
      a eval return -1
      a wait 0 x
      a wait 0 -1
      a wait 1 0 0
      a readonly
      a readwrite
      a asking
      a cluster info
      a acl whoami
      a memory usage nothere
      a memory nonesuch
      a slaveof x y
      a role`),
      { on: "a", send: ["client", "reply", "off"], silent: true },
      { on: "a", send: ["set", "k", "v"], silent: true },
      ...steps("a client reply on\na get k"),
      raw("a", "*3\r\n$6\r\nclient\r\n$5\r\nreply\r\n$4\r\nskip\r\n*1\r\n$4\r\nping\r\n"),
      { on: "a", send: ["quit"], closes: true },
    ],
  },
  {
    name: "inline commands and pieces",
    steps: [
      raw("a", "ping\r\n"),
      raw("a", "  set   k  'a b'\r\n"),
      raw("a", 'get "k"\n'),
      raw("a", 'set k "\\x41\\n\\"q"\r\nget k\r\n'),
      raw("a", "\r\n\r\nping\r\n"),
      raw("a", "*0\r\nping\r\n"),
      raw("a", "*-1\r\nping\r\n"),
      raw("a", "*1\r\n$4\r\nPING\r\n*2\r\n$4\r\necho\r\n$2\r\nhi\r\n"),
      raw("a", "*2\r\n$4\r\necho\r\n$0\r\n\r\n"),
      raw("a", "unknown 'x y' \"z\"\r\n"),
      raw("a", 'set k "unbalanced\r\n', { closes: true }),
      raw("b", "*1\r\n$x\r\n", { closes: true }),
      raw("c", "*x\r\n", { closes: true }),
      raw("d", "*1\r\n:4\r\n", { closes: true }),
      raw("e", "*1\r\n$-5\r\n", { closes: true }),
      raw("f", "*2147483648\r\n", { closes: true }),
      raw("g", "POST / HTTP/1.1\r\nHost: x\r\n\r\n", { closes: true }),
      raw("h", "*1\r\n$536870913\r\n", { closes: true }),
    ],
  },
  {
    name: "memory that is short",
    config: { maxmemory: "1" },
    steps: [
      ...steps(`
      a set k v
      a get k
      a del k
      a hset h f v
      a expire k 5
      a eval return(redis.call('set','k','v')) 0
      a eval return(redis.pcall('get','k')) 0
      a eval redis.call('del','x');return(redis.call('set','k','v')) 0
      a evalsha_ro 0123456789012345678901234567890123456789 0
      a publish c m
      a incr n
      a getset k v
      a copy a b
      a lpop q`),
      { on: "a", send: ["eval", "#!lua flags=allow-oom\nreturn redis.call('set','k','v')", "0"] },
      { on: "a", send: ["eval", "#!lua\nreturn 1", "0"] },
      { on: "a", send: ["eval", "#!lua flags=no-writes\nreturn 1", "0"] },
      ...steps("a get k\na config set maxmemory 0\na set k v2\na get k"),
    ],
  },
  {
    name: "replicas that are missing",
    config: { "min-replicas-to-write": "1" },
    steps: [
      ...steps(`
      a set k v
      a get k
      a eval return(redis.call('set','k','v')) 0
      a eval return(redis.pcall('set','k','v').err) 0
      a eval return(redis.call('get','k')) 0
      a del k
      a flushall
      a publish c m`),
      { on: "a", send: ["eval", "#!lua\nreturn 1", "0"] },
      { on: "a", send: ["eval", "#!lua flags=no-writes\nreturn 1", "0"] },
      ...queued("a", "a multi\na get k"),
      ...steps("a exec"),
    ],
  },
  {
    name: "a replica without its master",
    marker: "echo",
    steps: [
      ...steps("a set live 1\na set short 2 px 100\na set shorter 3 px 50\na hset h f v"),
      ...steps("a replicaof 127.0.0.1 1\na replicaof 127.0.0.1 1"),
      ...steps("a set k v\na del live\na incr live\na get short\na ttl nothere"),
      { on: "a", send: ["get", "shorter"], advanceMs: 70 },
      ...steps(`
      a exists shorter
      a dbsize
      a ttl shorter
      a pttl short
      a type shorter
      a keys s*
      a object encoding shorter
      a mget shorter short live
      a eval return(redis.call('get','shorter')) 0
      a eval return(redis.call('set','k','v')) 0
      a eval return(redis.pcall('incr','live').err) 0
      a eval_ro return(redis.call('get','live')) 0
      a publish c m
      a wait 0 0
      a hget h f
      a multi`).map((step) => (step.send?.[0] === "multi" ? { ...step, inTransaction: ["a"] } : step)),
      ...queued("a", "a set k v"),
      ...steps("a exec"),
      { on: "a", send: ["eval", "#!lua\nreturn 1", "0"] },
      { on: "a", send: ["eval", "#!lua flags=no-writes\nreturn 1", "0"] },
      ...steps(`
      a config set replica-serve-stale-data no
      a get live
      a ping
      a info nothing
      a publish c m
      a eval return(1) 0
      a select 0
      a config set replica-serve-stale-data yes
      a config set replica-read-only no
      a set own v
      a get shorter
      a set shorter again
      a ttl shorter
      a config set replica-read-only yes
      a replicaof no one
      a replicaof no one
      a get short
      a dbsize
      a set k v
      a get k`),
    ],
  },
];
