import type { MessageTrigger } from "../trigger.ts";
import { clientName } from "../topology.ts";
import { ordinal } from "../listed.ts";

/** "the 2nd SET of client-1 at node-0": the message that a trigger waits for. */
export function messageWords({ command, key, client, server, count = 1 }: MessageTrigger): string {
  return [
    "the",
    ...(count === 1 ? ["first"] : [ordinal(count)]),
    command ?? "message",
    ...(key === undefined ? [] : [`for ${JSON.stringify(key)}`]),
    ...(client === undefined ? [] : [`of ${clientName(client)}`]),
    ...(server === undefined ? [] : [`at ${server}`]),
  ].join(" ");
}

/** What did not happen when a trigger never came. */
export function neverCame(trigger: MessageTrigger): string {
  const message = messageWords(trigger);
  switch (trigger.moment) {
    case "send":
      return `${message} was never sent`;
    case "before":
      return `${message} never reached ${trigger.server === undefined ? "a server" : "it"}`;
    case "after":
      return `${message} was never applied`;
    case "reply":
      return `${message} was never answered`;
  }
}
