/**
 * What a fault does to clients, servers and links, in words that do not depend on which fault it is. Every fault states its
 * traits in its own file. Checkers, causes, claims and reports ask for traits and never for a name, so that a fault that is
 * added is judged and drawn like the others.
 */
export interface FaultTraits {
  /** `instant`: over as soon as it happened. `lasting`: in force until it is healed, or to the end of the run. */
  readonly duration: "instant" | "lasting";
  /** Whose processes it stops. They continue where they stopped when it is healed. */
  readonly pauses?: ProcessRole;
  /**
   * Whose processes it kills. A client stays dead. A node is down until a lasting fault is healed; after an instant one it
   * is running again.
   */
  readonly kills?: ProcessRole;
  /**
   * What it does to messages: `holds` them back while it is in force, or `resets` the connections they are on, once.
   * `holds-of-clients`: it holds back messages of clients and to clients, and certainly none between servers.
   */
  readonly messages?: "holds" | "holds-of-clients" | "resets";
  /**
   * Connections break before their last replies: a client library may resend a command that the server has carried out.
   */
  readonly breaksConnections?: true;
  /**
   * What it does to wall clocks. `step`: they jump by the parameter `byMs` when it strikes, and jump back when it is
   * healed. `step-of-clients`: the same, and certainly no server's clock jumps. `rate`: they run too fast or too slow while
   * it is in force.
   */
  readonly clock?: "step" | "step-of-clients" | "rate";
  /** What servers forget because of it. */
  readonly loses?: Loss;
  /** A replica becomes master: at the `request` of an operator, or because the harness has `seen` it happen. */
  readonly promotes?: "request" | "seen";
  /** Its names in Jepsen's nemeses, if they have this fault: the operations that begin it and those that end it. */
  readonly jepsen?: { readonly start: readonly string[]; readonly heal: readonly string[] };
}

type ProcessRole = "client" | "node";

/**
 * What a fault makes servers forget.
 * - `memory`: a node comes back with what it had written to its disk, synced or not.
 * - `unsynced`: a node comes back with what it had synced to its disk.
 * - `disk`: a node may come back with an empty disk.
 * - `unreplicated`: a new master lacks what had not been replicated to it.
 * - `keys`: a node drops keys and keeps running.
 * - `fences`: the guarded resource forgets the largest fencing token it has accepted.
 * - `unknown`: not known; it may be any of these.
 */
type Loss = "memory" | "unsynced" | "disk" | "unreplicated" | "keys" | "fences" | "unknown";

/** The kind of the event that records a promotion: a replica was seen to become master. It is not injected. */
export const PROMOTION = "promotion";

/** The traits of a promotion. */
export const PROMOTION_TRAITS: FaultTraits = {
  duration: "instant",
  breaksConnections: true,
  loses: "unreplicated",
  promotes: "seen",
};

/**
 * The kind of the event that records a crash: an uncaught error in the lock ended its client's process. It is not
 * injected.
 */
export const CLIENT_CRASH = "client-crash";

/** The traits of a client crash. */
export const CLIENT_CRASH_TRAITS: FaultTraits = { duration: "lasting", kills: "client" };

/**
 * The traits of a fault that lockstorm does not know, from a history recorded elsewhere: it lasts until the history
 * heals it, and may do anything.
 */
export const UNKNOWN_TRAITS: FaultTraits = { duration: "lasting", breaksConnections: true, loses: "unknown" };

/** Whether lockstorm does not know what the fault does. */
export function isUnknown({ loses }: FaultTraits): boolean {
  return loses === "unknown";
}

/**
 * Whether a fault takes effect at one instant, although it may last: a killed node loses what it held when it dies, not
 * while it is down.
 */
export function strikesAtOnce({ duration, kills }: FaultTraits): boolean {
  return duration === "instant" || kills !== undefined;
}

/** Whether the fault disturbs the system until it is healed. A dead client disturbs nobody. */
export function disturbsUntilHealed({ duration, kills }: FaultTraits): boolean {
  return duration === "lasting" && kills !== "client";
}

/** What faults do that a lock can survive or not. A lock's claims list these, and no faults. */
const EFFECTS = {
  "pauses-client": ({ pauses }) => pauses === "client",
  "pauses-node": ({ pauses }) => pauses === "node",
  "kills-client": ({ kills }) => kills === "client",
  "kills-node": ({ kills }) => kills === "node",
  "holds-messages": ({ messages }) => messages === "holds",
  "holds-client-messages": ({ messages }) => messages === "holds-of-clients",
  "resets-connections": ({ messages }) => messages === "resets",
  "steps-clock": ({ clock }) => clock === "step",
  "steps-client-clock": ({ clock }) => clock === "step-of-clients",
  "changes-clock-rate": ({ clock }) => clock === "rate",
  "promotes-replica": ({ promotes }) => promotes !== undefined,
  "loses-memory": ({ loses }) => loses === "memory",
  "loses-unsynced": ({ loses }) => loses === "unsynced",
  "loses-disk": ({ loses }) => loses === "disk",
  "loses-unreplicated": ({ loses }) => loses === "unreplicated",
  "loses-keys": ({ loses }) => loses === "keys",
  "loses-fences": ({ loses }) => loses === "fences",
  "loses-unknown": ({ loses }) => loses === "unknown",
} as const satisfies Record<string, (traits: FaultTraits) => boolean>;

/** One thing that a fault does to clients, servers or messages. */
export type FaultEffect = keyof typeof EFFECTS;

/** Everything that a fault does. Broken connections are not listed: they follow from the rest. */
export function effectsOf(traits: FaultTraits): readonly FaultEffect[] {
  return FAULT_EFFECTS.filter((effect) => EFFECTS[effect](traits));
}

/** Every effect, in the order in which tables list faults. */
export const FAULT_EFFECTS = Object.keys(EFFECTS) as readonly FaultEffect[];

/** Whether it holds back messages while it is in force. */
export function holdsMessages({ messages }: FaultTraits): boolean {
  return messages === "holds";
}

/**
 * Whether it may keep a reply from the client that waits for it. A library that gives up then may answer its caller without
 * knowing what the server did.
 */
export function mayKeepReplies({ breaksConnections, messages, pauses }: FaultTraits): boolean {
  return breaksConnections === true || messages !== undefined || pauses !== undefined;
}

/** Whether a node is down or stopped until the fault is healed. */
export function stopsNodes({ duration, pauses, kills }: FaultTraits): boolean {
  return duration === "lasting" && (pauses === "node" || kills === "node");
}

/** Whether Sentinels may promote a replica because of it: somebody asks them to, or they cannot reach the master. */
export function mayLeadToPromotion({ promotes, pauses, kills, messages }: FaultTraits): boolean {
  return promotes === "request" || pauses === "node" || kills === "node" || messages !== undefined;
}

/** Whether it stops a client that continues later. */
export function pausesClients({ pauses }: FaultTraits): boolean {
  return pauses === "client";
}

/** Whether it ends a client for good. */
export function killsClients({ kills }: FaultTraits): boolean {
  return kills === "client";
}

/** Whether it changes what a wall clock shows. */
export function movesClocks({ clock }: FaultTraits): boolean {
  return clock !== undefined;
}

/** Whether a node comes back from it with older data, or with none. */
export function losesNodeData({ loses }: FaultTraits): boolean {
  return loses === "memory" || loses === "unsynced" || loses === "disk";
}

/** Whether a node that syncs before each reply comes back from it with everything that it had granted. */
export function keepsSyncedData({ loses }: FaultTraits): boolean {
  return loses === "memory" || loses === "unsynced";
}

/**
 * Whether it is known to endanger granted locks or fence counters on a server. Clock faults do not count: they end
 * leases early.
 */
export function losesLockData(traits: FaultTraits): boolean {
  return traits.loses === "unreplicated" || traits.loses === "keys" || losesNodeData(traits);
}

/** Whether a lock may be gone after it. */
export function mayLoseLocks(traits: FaultTraits): boolean {
  return movesClocks(traits) || traits.loses === "unknown" || losesLockData(traits);
}

/** Whether it may leave a second copy of a lock, or an older one. */
export function mayCopyLocks(traits: FaultTraits): boolean {
  return traits.loses === "unreplicated" || traits.loses === "unknown" || losesNodeData(traits);
}
