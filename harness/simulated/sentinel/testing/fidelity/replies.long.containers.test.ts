// @module-tag long
import { beforeAll, expect, test } from "vitest";
import { describeWithEngine } from "../../../../containers/testing/engine-required.ts";
import { useServers } from "../../../../containers/testing/servers.ts";
import { RealConnection } from "../../../redis/testing/real-connection.ts";
import { parseFrame, ReplyReader, type Frame } from "../../../redis/testing/reply-frames.ts";
import { RawClient } from "../raw-client.ts";
import { RedisWorld } from "../redis-world.ts";

/** Fields whose values are times, counters or chance. */
const MASKED = /^(runid|link-pending-commands|last-.*|info-refresh|role-reported-time|slave-repl-offset|id)$/;

const COMMANDS = `
PING
PING a
PING a b
QUIT
RESET
GET a
SET
ECHO ${"x".repeat(200)} y
HELLO
HELLO 9
HELLO a
HELLO 2 SETNAME
HELLO 2 AUTH default x
HELLO 3 AUTH somebody x
AUTH a
AUTH a b
AUTH a b c
AUTH default b
ROLE
ROLE a
INFO sentinel
CLIENT
CLIENT foo
CLIENT GETNAME
CLIENT SETNAME a
CLIENT GETNAME
CLIENT GETNAME a
CLIENT SETINFO LIB-NAME x
CLIENT SETINFO LIB-FOO x
CLIENT NO-TOUCH on
CLIENT NO-EVICT on
CLIENT NO-EVICT maybe
CLIENT TRACKING maybe
CLIENT TRACKING on optout
CLIENT TRACKING on optin
CLIENT TRACKINGINFO
CLIENT GETREDIR
CLIENT CACHING yes
CLIENT CACHING no
CLIENT TRACKING off
CLIENT CACHING no
CLIENT GETREDIR
CLIENT REPLY foo
SENTINEL
SENTINEL foo
SENTINEL myid
SENTINEL master
SENTINEL master x
SENTINEL master lockstorm
SENTINEL masters
SENTINEL masters a
SENTINEL replicas lockstorm
SENTINEL slaves lockstorm
SENTINEL sentinels lockstorm
SENTINEL sentinels x
SENTINEL get-master-addr-by-name
SENTINEL get-master-addr-by-name x
SENTINEL get-master-addr-by-name lockstorm
SENTINEL ckquorum lockstorm
SENTINEL ckquorum x
SENTINEL is-master-down-by-addr
SENTINEL is-master-down-by-addr MASTER a 1 *
SENTINEL is-master-down-by-addr MASTER 6379 b *
SENTINEL is-master-down-by-addr MASTER 6379 0 *
SENTINEL is-master-down-by-addr 1.2.3.4 6379 5 somebody
SENTINEL is-master-down-by-addr MASTER 6379 0 somebody
SENTINEL is-master-down-by-addr MASTER 6379 7 somebody
SENTINEL is-master-down-by-addr MASTER 6379 7 another
SENTINEL is-master-down-by-addr MASTER 6379 6 another
SENTINEL failover
SENTINEL failover x
SENTINEL set lockstorm
SENTINEL set lockstorm foo 1
SENTINEL set lockstorm quorum 0
SENTINEL set lockstorm quorum -1
SENTINEL set lockstorm quorum 2 down-after-milliseconds
SENTINEL set x quorum 2
SENTINEL set lockstorm quorum 2
SENTINEL set lockstorm QUORUM 2 parallel-syncs 2 failover-timeout 6000
SENTINEL set lockstorm master-reboot-down-after-period 0
SENTINEL debug
SENTINEL debug foo 1
SENTINEL debug info-period
SENTINEL debug info-period 0
SENTINEL debug INFO-period 10000
SENTINEL reset foo
SENTINEL pending-scripts
SENTINEL flushconfig
SENTINEL flushconfig a
SENTINEL simulate-failure
SENTINEL simulate-failure foo
SENTINEL simulate-failure help
PUBLISH a b
PUBLISH a
PUBLISH __sentinel__:hello foo
SSUBSCRIBE a
PUBSUB channels
CONFIG get port
MULTI
SUBSCRIBE a
GET a
SENTINEL masters
SENTINEL foo
SENTINEL master
CLIENT GETNAME
PING
PING x
SUBSCRIBE b
PSUBSCRIBE *
UNSUBSCRIBE c
UNSUBSCRIBE a
UNSUBSCRIBE
PUNSUBSCRIBE
PUNSUBSCRIBE
HELLO 3
SENTINEL master lockstorm
SENTINEL replicas lockstorm
SENTINEL get-master-addr-by-name x
SENTINEL debug
SUBSCRIBE a
SENTINEL masters
PING
PING x
UNSUBSCRIBE
UNSUBSCRIBE
`
  .trim()
  .split("\n");

/** A function that asks a Sentinel, with its names for the addresses that it knows. */
interface Asked {
  readonly ask: (argv: readonly string[]) => Promise<string>;
  readonly master: string;
  readonly names: ReadonlyMap<string, string>;
}

/** A reply with names in place of addresses, and lists of instances sorted. */
function comparable(frame: Frame, names: ReadonlyMap<string, string>): unknown {
  if (!("parts" in frame)) {
    let { text } = frame;
    for (const [address, name] of names) text = text.replaceAll(address, name);
    return `${frame.type}${text}`;
  }
  const parts = frame.parts.map((part, index) => {
    const field = frame.parts[index - 1];
    const isValue = index % 2 === 1 && field !== undefined && "text" in field && MASKED.test(field.text);
    return isValue ? "*" : comparable(part, names);
  });
  const isListOfInstances = frame.type === "*" && frame.parts.every((part) => "parts" in part);
  return [frame.type, ...(isListOfInstances ? parts.sort((a, b) => (String(a) < String(b) ? -1 : 1)) : parts)];
}

describeWithEngine("a simulated Sentinel", () => {
  const servers = useServers({ kind: "sentinel" });
  beforeAll(() => servers().settle());

  async function real(): Promise<Asked & AsyncDisposable> {
    const { nodes } = servers();
    const { host, port } = servers().address("sentinel-0");
    const connection = await RealConnection.open(host, port);
    return {
      ask: async (argv) => (await connection.ask([argv]))[0] ?? "",
      master: nodes[0]?.networkAddress ?? "",
      names: new Map(nodes.map(({ name, networkAddress }) => [networkAddress, name])),
      [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
    };
  }

  async function simulated(): Promise<Asked> {
    const world = new RedisWorld();
    await world.ready();
    // INFO with everything in it has come.
    await world.advance(11_000);
    const client = await RawClient.connect(world, 0);
    const hosts = [...world.nodes, ...world.sentinels].map(({ host }) => host);
    const reader = new ReplyReader();
    return {
      ask: async (argv) => {
        reader.push(await client.ask(...argv));
        return reader.next() ?? "";
      },
      master: world.addressOf(world.node(0).host),
      names: new Map(hosts.map((host) => [world.addressOf(host), host.name])),
    };
  }

  test(`answers ${COMMANDS.length} commands as a real one does`, async () => {
    await using theirs = await real();
    const ours = await simulated();
    const differences: unknown[] = [];
    for (const command of COMMANDS) {
      const answers: unknown[] = [];
      for (const { ask, master, names } of [theirs, ours]) {
        const argv = command.split(" ").map((word) => (word === "MASTER" ? master : word));
        answers.push(comparable(parseFrame(await ask(argv)), names));
      }
      const [expected, actual] = answers;
      if (JSON.stringify(expected) !== JSON.stringify(actual)) differences.push({ command, expected, actual });
    }
    expect(differences).toEqual([]);
  });
});
