import { constants } from "node:os";

/**
 * The error that Node makes of libuv's status codes: `code`, `errno`, `syscall`, and the address where there is one.
 */
export function systemError(
  code: keyof typeof constants.errno,
  syscall: string,
  peer?: { readonly address: string; readonly port: number },
): NodeJS.ErrnoException {
  const where = peer === undefined ? "" : ` ${peer.address}:${peer.port}`;
  const error = new Error(`${syscall} ${code}${where}`);
  return Object.assign(error, { errno: -constants.errno[code], code, syscall, ...peer });
}

const MESSAGES = {
  ERR_SOCKET_CLOSED: "Socket is closed",
  ERR_SOCKET_CLOSED_BEFORE_CONNECTION: "Socket closed before the connection was established",
} as const;

/** An error of Node's own about a socket. */
export function socketError(code: keyof typeof MESSAGES): NodeJS.ErrnoException {
  return Object.assign(new Error(MESSAGES[code]), { code });
}

/** The error of a write to a socket whose peer has ended it, when half-open sockets are not allowed. */
export function endedByPeer(): NodeJS.ErrnoException {
  return Object.assign(new Error("This socket has been ended by the other party"), { code: "EPIPE" });
}

/** The error of a look-up of a name that no host has. */
export function unknownName(name: string): NodeJS.ErrnoException {
  const error = new Error(`getaddrinfo ENOTFOUND ${name}`);
  return Object.assign(error, { errno: -3008, code: "ENOTFOUND", syscall: "getaddrinfo", hostname: name });
}
