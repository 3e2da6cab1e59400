import { encodeCommand } from "../protocol/resp-encoder.ts";
import { raw, type Scenario, steps } from "./scenario.ts";

/** Single replies that were once wrong, and features that the server does not have. */
export const CORNER_SCENARIOS: readonly Scenario[] = [
  {
    name: "subscriptions of a connection that asked for silence",
    steps: [
      raw(
        "a",
        [
          ["client", "reply", "off"],
          ["subscribe", "one", "two"],
          ["psubscribe", "o*"],
          ["ssubscribe", "s"],
          ["unsubscribe", "one"],
          ["punsubscribe"],
          ["unsubscribe"],
          ["sunsubscribe"],
          ["unsubscribe"],
          ["get", "k"],
          ["client", "reply", "on"],
        ]
          .map(encodeCommand)
          .join(""),
      ),
      raw("a", "*3\r\n$6\r\nclient\r\n$5\r\nreply\r\n$4\r\nskip\r\n*2\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n"),
    ],
  },
  {
    name: "a time without room for fields",
    steps: steps(`
      a hgetex c px 1 f
      a hgetex c px 1 fields
      a hgetex c px 1 fields 1
      a hgetex c px x f
      a hgetex c persist f g
      a hsetex c px 1 f v
    `),
  },
  {
    name: "what a server without a cluster and without client-side caching says",
    steps: steps(`
      a cluster
      a cluster nonesuch
      a cluster help
      a cluster slots
      a cluster slots x
      a cluster nodes
      a cluster keyslot a
      a cluster shards
      a cluster countkeysinslot 1
      a cluster reset
      a client trackinginfo
      a client tracking off
      a client tracking maybe
      a client caching yes
      a client caching maybe
      a client getredir
      a hello 3
      a client trackinginfo
      a hello 2
      a waitaof 2 0 0
      a waitaof -1 0 0
      a waitaof x 0 0
      a waitaof 0 -1 0
      a waitaof 0 x 0
      a waitaof 0 0 -1
      a waitaof 0 0 x
      a waitaof 9223372036854775807 0 0
      a waitaof 1 0 0
      a set k 5
      a object refcount k
      a set k 9999
      a object refcount k
      a set k 10000
      a object refcount k
      a set k -1
      a object refcount k
      a incr n
      a object refcount n
      a append n 1
      a object refcount n
      a set f 1.5
      a incrbyfloat f 1.5
      a object refcount f
      a rpush l 1
      a object refcount l
      a config set maxmemory-policy allkeys-lru
      a set k 5
      a object refcount k
      a config set maxmemory 100mb
      a set k 5
      a object refcount k
      a incr k
      a object refcount k
      a config set maxmemory 0
      a config set maxmemory-policy noeviction
      a object refcount nothing
      a rpush p a b c 1 2 3 c c
      a lpos p c
      a lpos p c rank 2
      a lpos p c rank -1
      a lpos p c rank 5
      a lpos p c count 2
      a lpos p c count 0
      a lpos p c rank -1 count 2
      a lpos p c rank 0
      a lpos p c rank x
      a lpos p c count -1
      a lpos p c count x
      a lpos p c maxlen 3
      a lpos p c maxlen 2
      a lpos p c maxlen 2 count 0
      a lpos p c rank -1 maxlen 1 count 0
      a lpos p c maxlen -1
      a lpos p c nonesuch 1
      a lpos p c rank
      a lpos p x
      a lpos p x count 1
      a lpos nothing x
      a lpos nothing x count 1
      a lpos k x`),
  },
];
