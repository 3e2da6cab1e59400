import { at, numberArgument } from "../arguments.ts";
import { command, NO_KEYS, type Command } from "../command.ts";
import { ErrorReply, MapReply, OK, SetReply, SYNTAX_ERROR, type Reply } from "../protocol/reply.ts";
import type { Tracking, TrackingMode } from "./tracked-keys.ts";

const OWN = "noscript loading stale";

/** What these commands set of a connection, to a data node or to a Sentinel. */
export interface TrackingClient {
  tracking: Tracking | undefined;
}

/** CLIENT TRACKING and what belongs to it: caches at the clients. */
export const trackingCommands: readonly Command[] = [
  command("getredir", 2, OWN, NO_KEYS, (_argv, { session }) => redirect(session)),
  command("tracking", -3, OWN, NO_KEYS, (argv, { session, server }) => {
    const reply = track(argv, session, (id) => server.sessions.has(id));
    if (session.tracking?.mode === "bcast") server.tracked.listen(session);
    return reply;
  }),
  command("trackinginfo", 2, OWN, NO_KEYS, (_argv, { session }) => trackingInfo(session)),
  command("caching", 3, OWN, NO_KEYS, (argv, { session }) => except(session, at(argv, 2).toLowerCase())),
];

/** CLIENT GETREDIR. */
export function redirect({ tracking }: TrackingClient): number {
  return tracking?.redirectTo ?? -1;
}

/** CLIENT TRACKINGINFO. */
export function trackingInfo(client: TrackingClient): Reply {
  const words = new SetReply(flags(client.tracking));
  const prefixes = client.tracking?.prefixes ?? [];
  return new MapReply(["flags", words, "redirect", redirect(client), "prefixes", prefixes]);
}

/** What CLIENT TRACKING is asked for. */
interface Asked {
  readonly options: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  readonly redirectTo: number;
}

/**
 * CLIENT TRACKING.
 * @param isConnected whether there is a connection of this number
 */
export function track(argv: readonly string[], client: TrackingClient, isConnected: (id: number) => boolean): Reply {
  const asked = askedFor(argv.slice(3), isConnected);
  if (asked instanceof ErrorReply) return asked;
  switch (at(argv, 2).toLowerCase()) {
    case "off":
      client.tracking = undefined;
      return OK;
    case "on": {
      const mode = modeOf(asked, client.tracking);
      if (mode instanceof ErrorReply) return mode;
      const former = client.tracking?.prefixes ?? [];
      const given = asked.prefixes.length === 0 ? [""] : asked.prefixes;
      client.tracking = {
        mode,
        noLoop: asked.options.has("noloop"),
        prefixes: mode === "bcast" ? [...new Set([...former, ...given])].sort() : [],
        redirectTo: asked.redirectTo,
        isRedirectBroken: false,
        isException: client.tracking?.isException ?? false,
      };
      return OK;
    }
    default:
      return SYNTAX_ERROR;
  }
}

function askedFor(words: readonly string[], isConnected: (id: number) => boolean): Asked | ErrorReply {
  const options = new Set<string>();
  const prefixes: string[] = [];
  let redirectTo = 0;
  for (let index = 0; index < words.length; index += 1) {
    const option = at(words, index).toLowerCase();
    if (["bcast", "optin", "optout", "noloop"].includes(option)) options.add(option);
    else if ((option !== "prefix" && option !== "redirect") || index + 1 === words.length) return SYNTAX_ERROR;
    else {
      index += 1;
      if (option === "prefix") prefixes.push(at(words, index));
      else if (redirectTo !== 0) return new ErrorReply("ERR A client can only redirect to a single other client");
      else redirectTo = numberArgument(at(words, index));
      if (option === "redirect" && !isConnected(redirectTo)) {
        return new ErrorReply("ERR The client ID you want redirect to does not exist");
      }
    }
  }
  return { options, prefixes, redirectTo };
}

/** An error when the options contradict each other, or what is in force. */
function modeOf({ options, prefixes }: Asked, former: Tracking | undefined): TrackingMode | ErrorReply {
  const [optIn, optOut, broadcast] = [options.has("optin"), options.has("optout"), options.has("bcast")];
  if (!broadcast && prefixes.length > 0) return new ErrorReply("ERR PREFIX option requires BCAST mode to be enabled");
  if (former !== undefined && (former.mode === "bcast") !== broadcast) {
    return new ErrorReply(
      "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.",
    );
  }
  if (broadcast && (optIn || optOut)) return new ErrorReply("ERR OPTIN and OPTOUT are not compatible with BCAST");
  if (optIn && optOut) return new ErrorReply("ERR You can't specify both OPTIN mode and OPTOUT mode");
  if ((optIn && former?.mode === "optout") || (optOut && former?.mode === "optin")) {
    return new ErrorReply(
      "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.",
    );
  }
  if (broadcast) return overlapOf(prefixes, former?.prefixes ?? []) ?? "bcast";
  if (optIn) return "optin";
  return optOut ? "optout" : "all";
}

/** An error where one of the prefixes begins with another one. */
function overlapOf(given: readonly string[], former: readonly string[]): ErrorReply | undefined {
  const overlap = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);
  for (const [index, prefix] of given.entries()) {
    const existing = former.find((other) => overlap(prefix, other));
    if (existing !== undefined) return overlapError(prefix, "an existing", existing);
    const provided = given.slice(index + 1).find((other) => overlap(prefix, other));
    if (provided !== undefined) return overlapError(prefix, "another provided", provided);
  }
  return undefined;
}

function overlapError(prefix: string, which: string, other: string): ErrorReply {
  return new ErrorReply(
    `ERR Prefix '${prefix}' overlaps with ${which} prefix '${other}'. Prefixes for a single client must not overlap.`,
  );
}

function flags(tracking: Tracking | undefined): readonly string[] {
  if (tracking === undefined) return ["off"];
  const { mode, noLoop, isException, isRedirectBroken } = tracking;
  const all = ["on"];
  if (mode !== "all") all.push(mode);
  if (isException) all.push(mode === "optin" ? "caching-yes" : "caching-no");
  if (noLoop) all.push("noloop");
  if (isRedirectBroken) all.push("broken_redirect");
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
