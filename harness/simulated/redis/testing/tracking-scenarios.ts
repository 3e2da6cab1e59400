import { encodeCommand } from "../protocol/resp-encoder.ts";
import { queued, raw, type Scenario, type Step, steps } from "./scenario.ts";

/** Commands of a connection that are sent at once, with nothing in between. */
function atOnce(on: string, ...commands: readonly string[]): Step {
  return raw(on, commands.map((line) => encodeCommand(line.split(" "))).join(""));
}

/** Client-side caching: who is told what, and when. */
export const TRACKING_SCENARIOS: readonly Scenario[] = [
  {
    name: "client-side caching: options and what they say of themselves",
    steps: [
      ...steps(`
        a hello 3
        a client tracking on optin optout
        a client tracking on nonesuch
        a client tracking on optin
        a client trackinginfo
        a client getredir
        a client tracking on optout
        a client tracking on
        a client caching no
        a client caching yes
        a client tracking on optin
        a client caching no
        a client caching maybe
      `),
      atOnce("a", "client caching yes", "client trackinginfo", "get k", "client trackinginfo"),
      ...steps(
        "a client tracking off\na client tracking on optout noloop\na client trackinginfo\na client caching yes",
      ),
      atOnce(
        "a",
        "client caching no",
        "client trackinginfo",
        "client getname",
        "client trackinginfo",
        "ping",
        "client trackinginfo",
      ),
      ...steps("a reset\na client trackinginfo"),
    ],
  },
  {
    name: "client-side caching: each change is told once to those who read",
    steps: [
      ...steps(`
        a hello 3
        b hello 3
        a client tracking on
        b client tracking on noloop
        a get k
        b get k
        b set k 1
        b set k 2
        a mget k l m
        c set l 1
        c mset k 1 m 2
        a exists k
        a pexpire k 50
        a get k
        c pexpire k 60
        a get k
        c persist k
        a hset h f 1
        a hget h f
        c hset h f 1
        a hget h f
        c hdel h f nonesuch
        a get k
        c set k 1 xx get
        a get k
        c set k 1 nx
        c del k
        c del k
        a get k
        c getset k v
        c set e 1 px 10
        a get e
      `),
      { on: "c", send: ["get", "e"], advanceMs: 20 },
      ...steps(`
        a get e
        c set e 2
        a select 1
        a get k
        c set k 5
        a smembers s
        c sadd s x
        c sadd s x
        a smembers s
        c sadd s x
        c flushall
        a flushdb
        a client tracking off
        c flushall
      `),
    ],
  },
  {
    name: "client-side caching: scripts and transactions",
    steps: [
      ...steps("a hello 3\na client tracking on optout\nc set k 1"),
      {
        on: "a",
        send: [
          "eval",
          "redis.call('get',KEYS[1]) redis.call('set',KEYS[1],2) return redis.call('get',KEYS[1])",
          "1",
          "k",
        ],
      },
      { on: "a", send: ["eval_ro", "return redis.call('get',KEYS[1])", "1", "l"] },
      { on: "c", send: ["eval", "redis.call('set','k',2) redis.call('set','l',2)", "0"] },
      ...steps("a get k\na get l"),
      ...queued("a", "a multi\na set k 1\na get k\na set k 2\na set l 1"),
      ...steps("a exec\nc set k 4"),
      atOnce("a", "client caching no", "multi", "get k", "get l", "exec"),
      ...steps("c set k 5\na get k\nc set k 6"),
      atOnce("a", "client caching no", "client getname", "get k"),
      ...steps("c set k 7\na hello 2\na get k\nc set k 8\na hello 3\nc set k 9"),
      atOnce("a", "client reply skip", "get k"),
      ...steps("c set k 10"),
    ],
  },
  {
    name: "client-side caching: broadcasts",
    steps: [
      ...steps(`
        a hello 3
        a client tracking on prefix x
        a client tracking on bcast prefix user: prefix user:1
        a client tracking on bcast prefix user: prefix obj:
        a client trackinginfo
        a client tracking on bcast prefix user:7
        a client tracking on bcast prefix other
        a client tracking on
        a client tracking on bcast optin
        a client tracking on bcast prefix
        b mset user:2 a obj:1 b user:1 c nope 1
        b set nope 1
        a set user:1 b
        a client tracking on bcast noloop
        a client trackinginfo
        a client caching yes
        a set user:1 c
        b del user:1
        b flushall
        b set k 1 px 10
      `),
      { on: "a", send: ["get", "k"], advanceMs: 20 },
      ...queued("b", "b multi\nb set z 1\nb set y 1"),
      ...steps("b exec"),
      atOnce("b", "set x 1", "set w 1", "get x"),
      { on: "b", send: ["eval", "redis.call('set','j','1') redis.call('del','x') return 1", "0"] },
      ...steps("a reset\na client trackinginfo\nb set k 2"),
    ],
  },
  {
    name: "client-side caching: connections that are not there cannot be told",
    steps: steps(`
      a client tracking on redirect 999999
      a client tracking on redirect abc
      a client tracking on redirect
      a client tracking off bcast
      a client getredir
      a client tracking on bcast
      a client trackinginfo
      b set k 1
    `),
  },
];
