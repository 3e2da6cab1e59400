import { queued, raw, type Scenario, steps } from "./scenario.ts";

/** Connections that wait for lists, sorted sets and streams. */
export const BLOCKING_SCENARIOS: readonly Scenario[] = [
  {
    name: "blocking pops: first come, first served",
    steps: steps(`
      a blpop q 0
      b brpop q r 0
      c blpop r q 0
      p rpush q 1
      p rpush q 2 3
      a blpop q 0
      p rpush q 4
      p llen q
      a blpop q r 0
      b blpop r q 0
      p rpush r 5
      p rpush q 6
      a blmpop 0 2 q r left count 2
      b blmpop 0 1 q right
      p rpush q 1 2 3 4
      p lrange q 0 -1
      a brpoplpush q s 0
      b blmove s t left right 0
      c blpop t 0
      p lpush q last
      p exists q s t
      a bzpopmin z y 0
      b bzpopmax z 0
      c bzmpop 0 2 y z max count 3
      p zadd z 1 one 2 two 3 three
      p zrange z 0 -1 withscores
      p zadd y 1.5 m`),
  },
  {
    name: "blocking pops: what does not serve",
    steps: [
      ...steps(`
      a blpop q 0
      p set q v
      p del q
      p zadd q 1 m
      p del q
      p sadd q m
      b blpop q 0
      p del q
      p eval redis.call('rpush',KEYS[1],1);redis.call('del',KEYS[1]) 1 q`),
      ...queued("p", "p multi\np rpush q 1\np lpop q"),
      ...steps("p exec\np rpush other x\np rename other q\np rpush other y\np copy other q"),
      ...steps("a blpop q 0\np select 1\np rpush q x\np select 0\np swapdb 0 1\np swapdb 0 1\np select 1\np move q 0"),
      ...steps("a blmove q s left right 0\np set s text\np rpush q 1\np del s\np exists q"),
      ...steps("a brpoplpush q2 q2 0\np rpush q2 1 2 3\np lrange q2 0 -1\na blpop q2 x\na set k v\na blpop k q9 0"),
      ...steps(
        "a bzpopmin k 1\na blpop k2 0\np del k\np rpush k2 v\na bzmpop 0 1 zz min\nb bzpopmin zz 0\np zadd zz 1 m",
      ),
      ...steps("p zadd zz 2 n"),
    ],
  },
  {
    name: "blocking pops: times",
    steps: [
      ...steps("a blpop q 1\nb brpop q 2.5\nc blmove q r left left 0.001"),
      { on: "p", send: ["ping"], advanceMs: 1 },
      { on: "p", send: ["ping"], advanceMs: 1 },
      { on: "p", send: ["ping"], advanceMs: 998 },
      { on: "p", send: ["ping"], advanceMs: 1 },
      { on: "p", send: ["rpush", "q", "1"], advanceMs: 1000 },
      ...steps("b bzpopmin z 0.5\nc bzmpop 0.5 1 z max"),
      { on: "p", send: ["zadd", "z", "1", "m"], advanceMs: 501 },
      ...steps(`
      a blpop q -1
      a blpop q x
      a blpop q 1e400
      a blpop q inf
      a blpop q -inf
      a blpop q nan
      a blpop q 1e300
      d blpop q9 9223372036854775
      a blpop q 9223372036854776
      e blpop q9 9223372036854774
      a blpop q -0.0001
      p rpush q v
      a blpop q 0x1p2
      p rpush q v
      a brpoplpush q r -1
      a blmove q r left left x
      a blmove q r up left 0
      a blmpop 1 0 q left
      a blmpop 1 1 q
      a blmpop 1 1 q left count
      a blmpop 1 1 q left count 0
      a blmpop 1 1 q left count 1 count 1
      a blmpop x 1 q left
      a blmpop x 1 q up
      a blmpop 1 x q left
      a lmpop 1 nothing left
      a zmpop 1 nothing min
      a zmpop 1 nothing up
      a lmpop 2 nothing left
      a bzmpop 1 2 q min
      a bzpopmax q x`),
    ],
  },
  {
    name: "blocking pops: in transactions and scripts, unblocked, disconnected",
    steps: [
      ...queued(
        "a",
        "a multi\na blpop q 0\na blmove q r left left 0\na brpoplpush q r 0\na bzpopmin z 0\na bzmpop 0 1 z min\na blmpop 0 1 q left\na xread block 0 streams s $",
      ),
      ...steps("a exec"),
      ...steps(`
      a eval return(redis.pcall('blpop',KEYS[1],0)) 1 q
      a eval return(redis.pcall('blmove',KEYS[1],KEYS[1],'left','left',0)) 1 q
      a eval return(redis.pcall('bzmpop',0,1,KEYS[1],'min')) 1 z
      a blpop q 0
      p client unblock 999999
      p client list id 999999`),
      raw("a", "*2\r\n$4\r\necho\r\n$5\r\nafter\r\n"),
      ...steps("p rpush q 1 2\np get k"),
      raw(
        "a",
        "*3\r\n$5\r\nblpop\r\n$1\r\nx\r\n$1\r\n0\r\n*3\r\n$5\r\nblpop\r\n$1\r\ny\r\n$1\r\n0\r\n*1\r\n$4\r\nping\r\n",
      ),
      raw(
        "p",
        "*3\r\n$5\r\nrpush\r\n$1\r\ny\r\n$1\r\n1\r\n*3\r\n$5\r\nrpush\r\n$1\r\nx\r\n$1\r\n2\r\n*2\r\n$4\r\nllen\r\n$1\r\ny\r\n",
      ),
      ...steps(
        "a hello 3\na blpop x 0\np rpush x 1\na bzpopmin z 0\np zadd z 1.5 m\na bzmpop 0 1 z max\np zadd z 2.5 m",
      ),
      ...steps("a blpop m1 m2 0"),
      ...queued("p", "p multi\np rpush m2 1\np rpush m1 2"),
      ...steps("p exec\np lrange m1 0 -1\np lrange m2 0 -1"),
    ],
  },
  {
    name: "blocking pops: keyspace events",
    config: { "notify-keyspace-events": "KEA" },
    steps: steps(`
      l psubscribe __key*
      a blpop q 0
      p rpush q 1
      a blmove q r left right 0
      p rpush q 1
      a bzpopmin z 0
      p zadd z 1 m
      a blmpop 0 1 q left count 2
      p rpush q 1 2 3`),
  },
  {
    name: "blocked connections when the server becomes a replica",
    steps: [
      ...steps("a blpop q 0\nb bzpopmin z 5\nc blmove q r left left 0"),
      ...steps("p replicaof 127.0.0.1 1\np replicaof no one"),
    ],
  },
  {
    name: "streams that are waited for",
    steps: [
      ...steps(`
      a xread block 0 streams s $
      b xread count 1 block 0 streams t s 0 0
      p xadd s 1-1 f v
      p xadd s 2-1 f v
      a xread block 0 streams s 2
      p xadd s 2-2 f v
      a xread block 0 streams s $
      p del s
      p xadd s 1-1 f v
      p xadd s 3-1 f v
      a xread block 100 streams s $`),
      { on: "p", send: ["ping"], advanceMs: 101 },
    ],
  },
  {
    name: "consumers that wait for entries of their group",
    config: { "notify-keyspace-events": "KEA" },
    steps: [
      ...steps(`
      p xreadgroup group g a block 0 streams s >
      p xgroup create s g $ mkstream
      l psubscribe __key*
      a xreadgroup group g a block 0 streams s >
      b xreadgroup group g b count 1 block 0 streams s >
      c xreadgroup group g c noack block 0 streams s >
      d xread block 0 streams s $
      p xadd s 1-1 f v
      p xadd s 2-1 f v
      p xadd s 3-1 f v
      p xpending s g - + 9
      p xinfo groups s
      p xinfo consumers s g
      a xreadgroup group g a block 0 streams s 0
      p xack s g 1-1 2-1
      a xreadgroup group g a block 0 streams s >
      b xreadgroup group g b block 0 streams s >
      p xgroup destroy s g
      p xgroup create s g 0
      a xreadgroup group g a count 9 block 0 streams s >
      a xreadgroup group g a block 0 streams s >
      p xgroup setid s g 0
      p xadd s 4-1 f v`),
    ],
  },
  {
    name: "consumers whose stream goes while they wait",
    steps: [
      ...[
        "del s",
        "set s text",
        "expire s 0",
        "rename s other",
        "flushdb",
        "unlink s",
        "rename t s",
        "swapdb 0 1",
      ].flatMap((removal) =>
        steps(`
      p del s t
      p xgroup create s g $ mkstream
      p rpush t item
      a xreadgroup group g a block 100 streams s >
      d xread block 100 streams s $
      p ${removal}`).concat({ on: "p", send: ["ping"], advanceMs: 101 }, { on: "p", send: ["ping"] }),
      ),
      ...queued("p", "p multi\np xgroup create q g $ mkstream\np xreadgroup group g a block 0 streams q >"),
      ...steps(`
      p exec
      p eval return(redis.pcall('xreadgroup','group','g','a','block',0,'streams',KEYS[1],'>')) 1 q
      p eval return(redis.pcall('XREAD','block',0,'streams',KEYS[1],'$')) 1 q
      p eval return(redis.pcall('xreadgroup','group','g','a','streams',KEYS[1],'>')) 1 q
      a hello 3
      a xreadgroup group g a block 0 streams q >
      p xadd q 1-1 f v
      a xinfo stream q full
      a xinfo groups q
      a xpending q g`),
    ],
  },
];
