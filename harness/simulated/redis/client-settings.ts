import { ErrorReply, OK, SYNTAX_ERROR, type Reply } from "./protocol/reply.ts";

/** What CLIENT SETINFO and CLIENT REPLY set of a connection, to a data node or to a Sentinel. */
export interface ClientSettings {
  libraryName: string;
  libraryVersion: string;
  /** Which replies the connection gets: `skip-next` leaves out the reply after this one, `skip` the present one. */
  replies: "on" | "off" | "skip" | "skip-next";
}

/** CLIENT SETINFO: a client library tells its name or its version. */
export function setLibraryInfo(client: ClientSettings, option: string, value: string): Reply {
  const lower = option.toLowerCase();
  if (lower !== "lib-name" && lower !== "lib-ver") return new ErrorReply(`ERR Unrecognized option '${option}'`);
  if (/[^!-~]/.test(value)) {
    return new ErrorReply(`ERR ${lower} cannot contain spaces, newlines or special characters.`);
  }
  if (lower === "lib-name") client.libraryName = value;
  else client.libraryVersion = value;
  return OK;
}

/** CLIENT REPLY. OFF and SKIP are not answered themselves. */
export function setReplyMode(client: ClientSettings, mode: string): Reply {
  switch (mode.toLowerCase()) {
    case "on":
      client.replies = "on";
      return OK;
    case "off":
      client.replies = "off";
      return undefined;
    case "skip":
      if (client.replies !== "off") client.replies = "skip-next";
      return undefined;
    default:
      return SYNTAX_ERROR;
  }
}
