import { globMatches } from "../../redis/glob.ts";
import { ErrorReply, NOT_AN_INTEGER, NULL_ARRAY, OK, StatusReply, type Reply } from "../../redis/protocol/reply.ts";
import { announce } from "../events.ts";
import { startFailover } from "../failover/failover.ts";
import type { Instance, MasterInstance } from "../instance.ts";
import { resetMaster } from "../failover/master-switch.ts";
import { sameAddress } from "../node-address.ts";
import { selectReplica } from "../failover/replica-selection.ts";
import type { Sentinel } from "../sentinel.ts";
import { vote } from "../failover/votes.ts";
import { describeInstance } from "./describe-instance.ts";
import { container, integerOf, word, type SentinelCommand } from "./sentinel-command.ts";
import { debugTiming, setParameters } from "./set-parameters.ts";

/** SENTINEL. Not supported: CONFIG, HELP, INFO-CACHE, MONITOR, REMOVE. */
export const sentinelCommand: SentinelCommand = container("sentinel", [
  { name: "myid", arity: 2, run: (_argv, { sentinel }) => sentinel.id },
  { name: "masters", arity: 2, run: (_argv, { sentinel }) => describeAll(sentinel, sentinel.masters.values()) },
  onMaster("master", 3, (sentinel, master) => describeInstance(master, sentinel.nowMs)),
  ...["replicas", "slaves"].map((name) =>
    onMaster(name, 3, (sentinel, { replicas }) =>
      describeAll(
        sentinel,
        [...replicas.values()].filter(({ isAnnounced }) => isAnnounced),
      ),
    ),
  ),
  onMaster("sentinels", 3, (sentinel, { sentinels }) => describeAll(sentinel, sentinels.values())),
  { name: "get-master-addr-by-name", arity: 3, run: (argv, { sentinel }) => masterAddress(sentinel, word(argv, 2)) },
  { name: "is-master-down-by-addr", arity: 6, run: (argv, { sentinel }) => isMasterDown(sentinel, argv) },
  onMaster("failover", 3, forceFailover),
  onMaster("ckquorum", 3, (_sentinel, master) => checkQuorum(master)),
  onMaster("set", -5, setParameters),
  { name: "debug", arity: -2, run: (argv, { sentinel }) => debugTiming(sentinel, argv) },
  { name: "reset", arity: 3, run: (argv, { sentinel }) => reset(sentinel, word(argv, 2)) },
  {
    name: "flushconfig",
    arity: 2,
    run: (_argv, { sentinel }) => {
      sentinel.save();
      return OK;
    },
  },
  { name: "pending-scripts", arity: 2, run: () => [] },
  { name: "simulate-failure", arity: -3, run: (argv, { sentinel }) => simulateFailure(sentinel, argv.slice(2)) },
]);

/** A subcommand on a master that is named by its third word. */
function onMaster(
  name: string,
  arity: number,
  run: (sentinel: Sentinel, master: MasterInstance, argv: readonly string[]) => Reply,
): SentinelCommand {
  return {
    name,
    arity,
    run: (argv, { sentinel }) => {
      const master = sentinel.masters.get(word(argv, 2));
      return master === undefined ? new ErrorReply("ERR No such master with that name") : run(sentinel, master, argv);
    },
  };
}

function describeAll(sentinel: Sentinel, instances: Iterable<Instance>): Reply {
  return [...instances].map((instance) => describeInstance(instance, sentinel.nowMs));
}

function masterAddress(sentinel: Sentinel, name: string): Reply {
  const address = sentinel.masters.get(name)?.currentAddress;
  return address === undefined ? NULL_ARRAY : [address.host, String(address.port)];
}

/** Another Sentinel asks for an opinion, and, unless its last word is `*`, for a vote. */
function isMasterDown(sentinel: Sentinel, argv: readonly string[]): Reply {
  const [port, epoch] = [integerOf(word(argv, 3)), integerOf(word(argv, 4))];
  if (port === undefined || epoch === undefined) return NOT_AN_INTEGER;
  const address = { host: word(argv, 2), port };
  const candidate = word(argv, 5);
  const master = [...sentinel.masters.values()].find((each) => sameAddress(each.address, address));
  const isDown = !sentinel.isTilting && master?.isDown === true;
  if (master === undefined || candidate === "*") return [isDown ? 1 : 0, "*", 0];
  const given = vote(sentinel, master, epoch, candidate);
  return [isDown ? 1 : 0, given.leader ?? "*", given.epoch];
}

function forceFailover(sentinel: Sentinel, master: MasterInstance): Reply {
  if (master.isFailingOver) return new ErrorReply("INPROG Failover already in progress");
  if (selectReplica(sentinel, master) === undefined) {
    return new ErrorReply("NOGOODSLAVE No suitable replica to promote");
  }
  startFailover(sentinel, master);
  master.isForced = true;
  return OK;
}

function checkQuorum({ sentinels, quorum }: MasterInstance): Reply {
  const usable = 1 + [...sentinels.values()].filter(({ isDown }) => !isDown).length;
  const majority = Math.floor((sentinels.size + 1) / 2) + 1;
  const lacks = [
    ...(usable < quorum ? ["Not enough available Sentinels to reach the specified quorum for this master"] : []),
    ...(usable < majority ? ["Not enough available Sentinels to reach the majority and authorize a failover"] : []),
  ];
  return lacks.length === 0
    ? new StatusReply(`OK ${usable} usable Sentinels. Quorum and failover authorization can be reached`)
    : new ErrorReply(`NOQUORUM ${usable} usable Sentinels. ${lacks.join(". ")}`);
}

function reset(sentinel: Sentinel, pattern: string): Reply {
  const masters = [...sentinel.masters.values()].filter(({ name }) => globMatches(pattern, name));
  for (const master of masters) {
    resetMaster(sentinel, master, { sentinels: true });
    announce(sentinel, "+reset-master", master);
  }
  return masters.length;
}

function simulateFailure(sentinel: Sentinel, names: readonly string[]): Reply {
  const crashes = new Set<"election" | "promotion">();
  sentinel.crashAfter = crashes;
  for (const name of names) {
    const lower = name.toLowerCase();
    if (lower === "help") return ["crash-after-election", "crash-after-promotion"];
    if (lower === "crash-after-election") crashes.add("election");
    else if (lower === "crash-after-promotion") crashes.add("promotion");
    else return new ErrorReply("ERR Unknown failure simulation specified");
  }
  return OK;
}
