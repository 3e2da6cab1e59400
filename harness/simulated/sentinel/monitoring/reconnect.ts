import { receiveHello, HELLO_CHANNEL } from "./hello.ts";
import type { Instance } from "../instance.ts";
import { OutgoingConnection } from "../outgoing-connection.ts";
import { sendPing } from "./ping.ts";
import type { Sentinel } from "../sentinel.ts";

/** Makes the missing connections of a link, at most once a PING period. */
export function reconnect(sentinel: Sentinel, instance: Instance): void {
  const { link, address } = instance;
  if (!link.isDisconnected || address.port === 0) return;
  const { nowMs } = sentinel;
  if (nowMs - link.triedAtMs < sentinel.timing.pingMs) return;
  link.triedAtMs = nowMs;
  if (link.command === null) openCommand(sentinel, instance);
  if (instance.kind !== "sentinel" && link.pubsub === null) openPubsub(sentinel, instance);
  link.isDisconnected = false;
}

function openCommand(sentinel: Sentinel, instance: Instance): void {
  const { link, address } = instance;
  const connection = new OutgoingConnection(sentinel.environment, address, () => {
    link.command = null;
    link.isDisconnected = true;
  });
  link.command = connection;
  link.pendingCommands = 0;
  link.commandSinceMs = sentinel.nowMs;
  link.send(connection, ["CLIENT", "SETNAME", clientName(sentinel, "cmd")]);
  sendPing(sentinel, instance);
}

function openPubsub(sentinel: Sentinel, instance: Instance): void {
  const { link, address } = instance;
  const connection = new OutgoingConnection(sentinel.environment, address, () => {
    link.pubsub = null;
    link.isDisconnected = true;
  });
  link.pubsub = connection;
  link.pubsubSinceMs = sentinel.nowMs;
  link.send(connection, ["CLIENT", "SETNAME", clientName(sentinel, "pubsub")]);
  connection.subscribe(HELLO_CHANNEL, (reply) => receiveHello(sentinel, instance, reply));
}

function clientName(sentinel: Sentinel, purpose: "cmd" | "pubsub"): string {
  return `sentinel-${sentinel.id.slice(0, 8)}-${purpose}`;
}
