import type { MessageTrigger } from "../trigger.ts";
import { clientName } from "../topology.ts";
import { ordinal } from "../listed.ts";
import { inFigures } from "../words/in-figures.ts";

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

/** When an action came that a trigger released: "when the 2nd SET of client-1 at node-0 had reached it". */
export function whenCame(trigger: MessageTrigger): string {
  const { moment, server, afterMs = 0 } = trigger;
  const message = messageWords(trigger);
  const came = {
    send: `${message} was about to be sent`,
    before: `${message} had reached ${server === undefined ? "its server" : "it"}`,
    after: `${message} had been applied`,
    reply: `${message} had been answered`,
  }[moment];
  return afterMs === 0 ? `when ${came}` : `${inFigures(afterMs)} ms after ${came}`;
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
