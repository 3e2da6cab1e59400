import type { OutgoingConnection, OnReply } from "./outgoing-connection.ts";

/**
 * A Sentinel's connections to one server, and when it last received what over them. Times are its wall clock's
 * milliseconds; 0 is never.
 */
export class InstanceLink {
  command: OutgoingConnection | null = null;
  pubsub: OutgoingConnection | null = null;
  /** True while one of the connections is missing. A connection counts from when it is dialled. */
  isDisconnected = true;
  /** Commands sent whose reply is due. */
  pendingCommands = 0;
  commandSinceMs = 0;
  pubsubSinceMs = 0;
  pubsubActiveAtMs = 0;
  /** When a PING last got a good answer. */
  availableAtMs: number;
  /** Since when a PING waits for a good answer; 0: none waits. A new link waits from the start. */
  pingDueSinceMs: number;
  pingedAtMs = 0;
  /** When a PING last got any answer. */
  pongAtMs: number;
  triedAtMs = 0;

  constructor(nowMs: number) {
    this.availableAtMs = nowMs;
    this.pingDueSinceMs = nowMs;
    this.pongAtMs = nowMs;
  }

  /** Sends a command over the command connection. False when there is none. */
  request(argv: readonly string[], onReply: OnReply = () => {}): boolean {
    if (this.command === null) return false;
    this.send(this.command, argv, onReply);
    return true;
  }

  send(connection: OutgoingConnection, argv: readonly string[], onReply: OnReply = () => {}): void {
    this.pendingCommands += 1;
    connection.send(argv, (reply) => {
      this.pendingCommands -= 1;
      onReply(reply);
    });
  }

  closeCommand(): void {
    if (this.command === null) return;
    this.command.close();
    this.command = null;
    this.pendingCommands = 0;
    this.isDisconnected = true;
  }

  closePubsub(): void {
    if (this.pubsub === null) return;
    this.pubsub.close();
    this.pubsub = null;
    this.isDisconnected = true;
  }

  close(): void {
    this.closeCommand();
    this.closePubsub();
  }
}
