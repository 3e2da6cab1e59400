import { at } from "../arguments.ts";
import { command, NO_KEYS, type Command } from "../command.ts";
import { ErrorReply, MapReply, OK, SetReply, SYNTAX_ERROR, type Reply } from "../protocol/reply.ts";
import type { Tracking, TrackingMode } from "./tracked-keys.ts";

const OWN = "noscript loading stale";

/** What the simulation lacks: a lock that asks for it ends the simulation. */
const ABSENT: ReadonlySet<string> = new Set(["bcast", "prefix", "redirect"]);

/** What these commands set of a connection, to a data node or to a Sentinel. */
export interface TrackingClient {
  tracking: Tracking | undefined;
}

/** CLIENT TRACKING and what belongs to it: caches at the clients. */
export const trackingCommands: readonly Command[] = [
  command("getredir", 2, OWN, NO_KEYS, (_argv, { session }) => redirect(session)),
  command("tracking", -3, OWN, NO_KEYS, (argv, { session, server }) =>
    track(argv, session, (name) => server.hooks.absentCommand?.(name)),
  ),
  command("trackinginfo", 2, OWN, NO_KEYS, (_argv, { session }) => trackingInfo(session)),
  command("caching", 3, OWN, NO_KEYS, (argv, { session }) => except(session, at(argv, 2).toLowerCase())),
];

/** CLIENT GETREDIR: invalidations are never redirected here. */
export function redirect({ tracking }: TrackingClient): number {
  return tracking === undefined ? -1 : 0;
}

/** CLIENT TRACKINGINFO. */
export function trackingInfo(client: TrackingClient): Reply {
  const words = new SetReply(flags(client.tracking));
  return new MapReply(["flags", words, "redirect", redirect(client), "prefixes", []]);
}

/**
 * CLIENT TRACKING.
 * @param onAbsent hears of an option that is not simulated
 */
export function track(argv: readonly string[], client: TrackingClient, onAbsent: (name: string) => void): Reply {
  const options = new Set(argv.slice(3).map((option) => option.toLowerCase()));
  for (const option of options) {
    if (ABSENT.has(option)) {
      const name = `CLIENT TRACKING ON ${option.toUpperCase()}`;
      onAbsent(name);
      return new ErrorReply(`ERR ${name} is not simulated`);
    }
    if (!["optin", "optout", "noloop"].includes(option)) return SYNTAX_ERROR;
  }
  switch (at(argv, 2).toLowerCase()) {
    case "off":
      client.tracking = undefined;
      return OK;
    case "on": {
      const mode = modeOf(options, client.tracking?.mode);
      if (mode instanceof ErrorReply) return mode;
      client.tracking = {
        mode,
        noLoop: options.has("noloop"),
        isException: client.tracking?.isException ?? false,
      };
      return OK;
    }
    default:
      return SYNTAX_ERROR;
  }
}

/** An error when the options contradict each other, or what is in force. */
function modeOf(options: ReadonlySet<string>, former: TrackingMode | undefined): TrackingMode | ErrorReply {
  const [optIn, optOut] = [options.has("optin"), options.has("optout")];
  if (optIn && optOut) return new ErrorReply("ERR You can't specify both OPTIN mode and OPTOUT mode");
  if ((optIn && former === "optout") || (optOut && former === "optin")) {
    return new ErrorReply(
      "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.",
    );
  }
  if (optIn) return "optin";
  return optOut ? "optout" : "all";
}

function flags(tracking: Tracking | undefined): readonly string[] {
  if (tracking === undefined) return ["off"];
  const { mode, noLoop, isException } = tracking;
  const all = ["on"];
  if (mode !== "all") all.push(mode);
  if (isException) all.push(mode === "optin" ? "caching-yes" : "caching-no");
  if (noLoop) all.push("noloop");
  return all;
}

/** CLIENT CACHING. */
export function except({ tracking }: TrackingClient, word: string): Reply {
  if (tracking === undefined) {
    return new ErrorReply(
      "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled",
    );
  }
  if (word !== "yes" && word !== "no") return SYNTAX_ERROR;
  const mode = word === "yes" ? "optin" : "optout";
  if (tracking.mode !== mode) {
    return new ErrorReply(
      `ERR CLIENT CACHING ${word.toUpperCase()} is only valid when tracking is enabled in ${mode.toUpperCase()} mode.`,
    );
  }
  tracking.isException = true;
  return OK;
}
