import type { Socket } from "node:net";

/**
 * Resets a connection. Node cannot reset one whose end is just being sent: it would fail, and leave the connection open,
 * which keeps the process from ending. Such a connection is closed, with what was written to it delivered.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
