import type { FaultTraits } from "../../core/fault-traits.ts";

const LOSSES: Readonly<Record<NonNullable<FaultTraits["loses"]>, string>> = {
  memory: "a node restarts with what it had written to its disk, synced or not",
  unsynced: "a node restarts with only what it had synced to its disk",
  disk: "a node may restart with an empty disk",
  unreplicated: "a new master lacks what had not been replicated to it",
  keys: "a node drops keys and keeps running",
  fences: "the guarded resource forgets the largest fencing token it has accepted",
  unknown: "it is not known which data are lost",
};

const CLOCKS = {
  step: "wall clocks jump once, and keep their new offset",
  "step-of-clients": "wall clocks of clients jump once, and keep their new offset",
  rate: "clocks run fast or slow while it is in force",
} as const;

const MESSAGES = {
  holds: "messages are held back while it is in force",
  "holds-of-clients": "messages from and to clients are held back while it is in force",
  resets: "connections are reset, once",
} as const;

/** What a fault does, in sentences without a capital or a full stop. */
export function traitWords(traits: FaultTraits): readonly string[] {
  const { duration, pauses, kills, messages, breaksConnections, clock, loses, promotes, jepsen } = traits;
  return [
    duration === "instant"
      ? "it happens at one instant"
      : `it is in force until ${kills === "client" ? "the run ends" : "it is healed"}`,
    ...(pauses === undefined ? [] : [`${processes(pauses)} stop, and continue where they stopped`]),
    ...(kills === undefined ? [] : [`${processes(kills)} die`]),
    ...(messages === undefined ? [] : [MESSAGES[messages]]),
    ...(breaksConnections === undefined ? [] : ["a client may resend a command that its server has already applied"]),
    ...(clock === undefined ? [] : [CLOCKS[clock]]),
    ...(loses === undefined ? [] : [LOSSES[loses]]),
    ...(promotes === undefined ? [] : ["a replica becomes master"]),
    ...(jepsen === undefined ? [] : [`Jepsen's nemesis calls it ${jepsen.start.join(", ")}`]),
  ];
}

function processes(role: NonNullable<FaultTraits["kills"]>): string {
  return role === "client" ? "clients" : "nodes";
}
