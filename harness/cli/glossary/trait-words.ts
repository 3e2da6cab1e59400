import type { FaultTraits } from "../../core/fault-traits.ts";

const LOSSES: Readonly<Record<NonNullable<FaultTraits["loses"]>, string>> = {
  memory: "a node comes back with what it had written to its disk, synced or not",
  unsynced: "a node comes back with what it had synced to its disk",
  disk: "a node may come back with an empty disk",
  unreplicated: "a new master lacks what had not been replicated to it",
  keys: "a node drops keys and keeps running",
  fences: "the guarded resource forgets the largest fencing token it has accepted",
  unknown: "what is lost is not known",
};

const CLOCKS = {
  step: "wall clocks jump when it strikes, and stay where they are then",
  rate: "clocks run too fast or too slow while it is in force",
} as const;

const MESSAGES = {
  holds: "messages are held back while it is in force",
  resets: "connections are reset, once",
} as const;

/** What a fault does, in sentences without a capital or a full stop. */
export function traitWords(traits: FaultTraits): readonly string[] {
  const { duration, pauses, kills, messages, breaksConnections, clock, loses, promotes, jepsen } = traits;
  return [
    duration === "instant" ? "it is over as soon as it happened" : "it is in force until it is healed",
    ...(pauses === undefined ? [] : [`${processes(pauses)} stop, and continue where they stopped`]),
    ...(kills === undefined ? [] : [`${processes(kills)} die`]),
    ...(messages === undefined ? [] : [MESSAGES[messages]]),
    ...(breaksConnections === undefined ? [] : ["a client may resend a command that its server has carried out"]),
    ...(clock === undefined ? [] : [CLOCKS[clock]]),
    ...(loses === undefined ? [] : [LOSSES[loses]]),
    ...(promotes === undefined ? [] : ["a replica becomes master"]),
    ...(jepsen === undefined ? [] : [`Jepsen's nemesis calls it ${jepsen.start.join(", ")}`]),
  ];
}

function processes(role: NonNullable<FaultTraits["kills"]>): string {
  return role === "client" ? "clients" : "nodes";
}
